/** Against the trainer's recorded logits, llama.cpp itself, and every division of the layers. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getLlama, type Llama, type Token } from 'node-llama-cpp';
import { GgufTokenizer } from '../text/tokenizer.js';
import { divideLayers } from './layer-range.js';
import { LayerStack } from './layer-stack.js';
import { type LlamaHeader, readLlamaHeader } from './llama.header.js';

const inModels = (name: string): string =>
  fileURLToPath(new URL(`../../../../models/${name}`, import.meta.url));
const NANO = inModels('nano.gguf');

interface Reference {
  readonly prompts: readonly {
    readonly ids: readonly number[];
    readonly logits: readonly number[];
    readonly greedy: readonly number[];
  }[];
}

const argmax = (logits: Float32Array): number => logits.indexOf(Math.max(...logits));
const differenceOf = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
  Math.max(...Array.from(one, (value, at) => Math.abs(value - (other[at] ?? NaN))));

describe('layers on TensorFlow.js', () => {
  let header: LlamaHeader;
  let whole: LayerStack;
  let reference: Reference;

  beforeAll(async () => {
    header = await readLlamaHeader(NANO);
    whole = await LayerStack.load(NANO, header);
    reference = JSON.parse(await readFile(inModels('nano.reference.json'), 'utf8')) as Reference;
  });

  afterAll(() => whole.dispose());

  it('give the logits of the trainer to 1e-3 and go on with the same tokens', () => {
    for (const { ids, logits, greedy } of reference.prompts) {
      const cache = whole.open();
      let next = whole.forward(cache, Int32Array.from(ids), true);
      expect(differenceOf(logits, next)).toBeLessThan(1e-3);
      for (const token of greedy) {
        expect(argmax(next)).toBe(token);
        next = whole.forward(cache, Int32Array.of(token), true);
      }
      cache.dispose();
    }
  });

  it('give the logits of llama.cpp at every position to 1e-3', async () => {
    const llama: Llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
    try {
      const model = await llama.loadModel({ modelPath: NANO });
      const context = await model.createContext({
        contextSize: 256,
        threads: 1,
        flashAttention: false,
        experimentalKvCacheKeyType: 'F32',
        experimentalKvCacheValueType: 'F32',
      });
      const text = 'user\nWhat is a hold, and when is it captured? Größe 10 € 你好';
      const ids = new GgufTokenizer(header).encode([{ text, isTemplate: false }]);
      expect(model.tokenize(text)).toEqual([...ids]);
      const wanted = { generateNext: { logits: true, options: {} } };
      const served = await context
        .getSequence()
        .controlledEvaluate([...ids].map((id) => [id as Token, wanted]));
      const cache = whole.open();
      expect(served).toHaveLength(ids.length);
      ids.forEach((id, position) => {
        const logits = whole.forward(cache, Int32Array.of(id), true);
        const theirs = served[position]?.next.logits ?? new Map<Token, number>();
        const difference = differenceOf(
          logits,
          [...logits.keys()].map((at) => theirs.get(at as Token) ?? NaN),
        );
        expect(difference).toBeLessThan(1e-3);
      });
      cache.dispose();
    } finally {
      await llama.dispose();
    }
  });

  it.each([1, 2, 3, 4])('give the same bits divided into %i ranges', async (count) => {
    const ranges = divideLayers(header.shape.layers, count);
    const stages = await Promise.all(ranges.map((range) => LayerStack.load(NANO, header, range)));
    const caches = stages.map((stage) => stage.open());
    const cache = whole.open();
    const [{ ids, greedy } = { ids: [], greedy: [] }] = reference.prompts;
    for (const step of [ids, ...greedy.map((token) => [token])]) {
      const tokens = Int32Array.from(step);
      const expected = whole.forward(cache, tokens, true);
      const divided = stages.reduce<Int32Array | Float32Array>(
        (input, stage, at) => stage.forward(caches[at] ?? stage.open(), input, true),
        tokens,
      );
      expect(Buffer.from(divided.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
    }
    for (const one of [cache, ...caches]) one.dispose();
    for (const stage of stages) stage.dispose();
  });
});

describe('a division of layers', () => {
  it.each([
    [4, 2, ['0-1', '2-3']],
    [5, 2, ['0-2', '3-4']],
    [7, 3, ['0-2', '3-4', '5-6']],
    [2, 4, ['0-0', '1-1']],
    [3, 1, ['0-2']],
  ])('is contiguous and even: %i layers, %i stages', (layers, stages, expected) => {
    const ranges = divideLayers(layers, stages);
    expect(ranges.map(({ first, last }) => `${first}-${last}`)).toEqual(expected);
  });
});
