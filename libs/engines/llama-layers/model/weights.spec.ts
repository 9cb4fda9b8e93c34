import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getLlama, type Token } from 'node-llama-cpp';
import { type BlockFormat, decodeTensor, encodeTensor } from '../formats/block-format.js';
import { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } from '../formats/linear-formats.js';
import {
  BRAIN,
  HALF,
  inBlocks,
  type MatrixFormat,
  storedAs,
} from '../formats/stored-as.fixture.js';
import { TQ1_0, TQ2_0 } from '../formats/ternary-formats.js';
import { LayerStack } from './layer-stack.js';
import { EMBEDDING, readLlamaHeader } from './llama.header.js';
import { readWeights } from './weights.js';

const MODEL = path.resolve(import.meta.dirname, '../../../../models/nano.gguf');
const WHOLE = { first: 0, last: 0 };

const through =
  (format: BlockFormat) =>
  (weights: Float32Array): Float32Array =>
    decodeTensor(format, encodeTensor(format, weights));

describe('weights that are not stored in 32-bit floats', () => {
  let folder: string;
  let original: Float32Array;

  const fileIn = async (format: MatrixFormat): Promise<string> => {
    const file = path.join(folder, `${format.type}.gguf`);
    await writeFile(file, await storedAs(MODEL, format));
    return file;
  };

  const embeddingOf = async (file: string): Promise<Float32Array> => {
    const weights = await readWeights(file, await readLlamaHeader(file), WHOLE);
    return weights.get(EMBEDDING) ?? new Float32Array();
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-weights-'));
    original = await embeddingOf(MODEL);
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('are read as they were rounded', async () => {
    const half = await embeddingOf(await fileIn(HALF));
    expect(half).toEqual(Float32Array.from(original, (weight) => Math.f16round(weight)));
    const brain = await embeddingOf(await fileIn(BRAIN));
    const isNear = (weight: number, at: number): boolean =>
      Math.abs(weight / (original[at] ?? NaN) - 1) < 2 ** -7;
    expect(brain.every(isNear)).toBe(true);
  });

  it.each([Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, TQ1_0, TQ2_0].map((one) => [one.name, one] as const))(
    'are read from blocks of %s',
    async (_, format) => {
      // Rows of ternary blocks have 256 weights; the rows of this model have fewer.
      if (format.blockWeights === 256) {
        await expect(readLlamaHeader(await fileIn(inBlocks(format)))).rejects.toMatchObject({
          code: 'model_unsupported',
          message: expect.stringContaining(`no whole blocks of ${format.name}`),
        });
        return;
      }
      expect(await embeddingOf(await fileIn(inBlocks(format)))).toEqual(through(format)(original));
    },
  );

  it('give the logits of llama.cpp in 16 bits', async () => {
    const file = await fileIn(BRAIN);
    const header = await readLlamaHeader(file);
    const stack = await LayerStack.load(file, header);
    const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
    try {
      const model = await llama.loadModel({ modelPath: file });
      const context = await model.createContext({
        contextSize: 64,
        threads: 1,
        flashAttention: false,
        experimentalKvCacheKeyType: 'F32',
        experimentalKvCacheValueType: 'F32',
      });
      const ids = model.tokenize('What is a hold, and when is it captured?');
      const wanted = { generateNext: { logits: true, options: {} } };
      const asked = ids.map((id): [Token, typeof wanted] => [id, wanted]);
      const served = await context.getSequence().controlledEvaluate(asked);
      const theirs = served.at(-1)?.next.logits ?? new Map<Token, number>();
      const logits = stack.forward(stack.open(), Int32Array.from(ids), true);
      const differences = [...logits].map((logit, at) =>
        Math.abs(logit - (theirs.get(at as Token) ?? NaN)),
      );
      // llama.cpp rounds the activations to 16 bits, too.
      expect(Math.max(...differences)).toBeLessThan(0.1);
    } finally {
      await llama.dispose();
      stack.dispose();
    }
  });
});
