/** The shipped weights in llama.cpp against what their trainer computed from the same weights. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getLlama, type Llama, type LlamaModel, type Token } from 'node-llama-cpp';

const inModels = (name: string): string =>
  fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));

const LOGIT_DIFFERENCE_MAX = 1e-3;

interface Reference {
  readonly sha256: string;
  readonly prompts: readonly {
    readonly text: string;
    readonly ids: readonly number[];
    readonly logits: readonly number[];
    readonly greedy: readonly number[];
  }[];
}

describe('nano in llama.cpp', () => {
  let reference: Reference;
  let llama: Llama;
  let model: LlamaModel;

  beforeAll(async () => {
    reference = JSON.parse(await readFile(inModels('nano.reference.json'), 'utf8')) as Reference;
    llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
    model = await llama.loadModel({ modelPath: inModels('nano.gguf') });
  });

  afterAll(() => llama.dispose());

  it('is the file the reference was computed from', async () => {
    const hash = createHash('sha256').update(await readFile(inModels('nano.gguf')));
    expect(hash.digest('hex')).toBe(reference.sha256);
    expect(reference.prompts.length).toBeGreaterThanOrEqual(5);
  });

  it('cuts a prompt into the ids of the trainer', () => {
    for (const { text, ids } of reference.prompts) {
      const rendered = `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
      expect(model.tokenize(rendered, true)).toEqual(ids);
    }
  });

  it('gives the logits of the trainer to 1e-3, and continues with the same tokens', async () => {
    const context = await model.createContext({
      contextSize: 256,
      threads: 1,
      flashAttention: false,
      experimentalKvCacheKeyType: 'F32',
      experimentalKvCacheValueType: 'F32',
    });
    const sequence = context.getSequence();
    for (const { ids, logits, greedy } of reference.prompts) {
      await sequence.clearHistory();
      const tokens = [...ids, ...greedy] as Token[];
      const wanted = { generateNext: { token: true, logits: true, options: { temperature: 0 } } };
      const results = await sequence.controlledEvaluate(
        tokens.map((token, index) => (index < ids.length - 1 ? token : [token, wanted])),
      );
      const after = results.slice(ids.length - 1).map((result) => result?.next);
      expect(after.slice(0, greedy.length).map((next) => next?.token)).toEqual(greedy);
      const served = after[0]?.logits ?? new Map<Token, number>();
      expect(served.size).toBe(logits.length);
      const difference = Math.max(
        ...logits.map((logit, id) => Math.abs(logit - (served.get(id as Token) ?? Infinity))),
      );
      expect(difference).toBeLessThan(LOGIT_DIFFERENCE_MAX);
    }
    await context.dispose();
  });
});
