/** Runs the trainer's forward pass over the shipped file, to check the stored numbers. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { getLlama, type Llama, type Token } from 'node-llama-cpp';
import { bytePairTokenizer } from './byte-pair.tokenizer.js';
import { readGguf, writeGguf, type GgufModel } from '#engines/training/files/gguf.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { LlamaModel } from '#engines/training/model/llama.model.js';
import type { Manifest } from './manifest.js';
import { heldOutFigures } from './trainer.js';

const inModels = (name: string): string =>
  fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

/** Training scores all of them, which takes a minute. */
const SAMPLE_BATCHES = 3;

const TEXT = 'user\nWhat is a hold, and when is it captured? Größe 10 € 你好';

describe('the shipped nano in TensorFlow.js', () => {
  let bytes: Buffer;
  let shipped: GgufModel;
  let model: LlamaModel;
  let manifest: Manifest;
  let llama: Llama;

  beforeAll(async () => {
    await startTensorFlow();
    bytes = await readFile(inModels('nano.gguf'));
    manifest = JSON.parse(await readFile(inModels('nano.json'), 'utf8')) as Manifest;
    shipped = readGguf(bytes);
    model = new LlamaModel(shipped.shape, shipped.tensors);
    llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
  });

  afterAll(() => llama.dispose());

  it('survives being read and written to the byte', () => {
    expect(writeGguf(shipped).equals(bytes)).toBe(true);
  });

  it('agrees with llama.cpp at every position to 1e-3', async () => {
    const ids = bytePairTokenizer(shipped.vocabulary).encode(TEXT);
    const served = await llama.loadModel({ modelPath: inModels('nano.gguf') });
    expect(served.tokenize(TEXT)).toEqual(ids);
    const context = await served.createContext({
      contextSize: 256,
      threads: 1,
      flashAttention: false,
      experimentalKvCacheKeyType: 'F32',
      experimentalKvCacheValueType: 'F32',
    });
    const results = await context
      .getSequence()
      .controlledEvaluate(
        ids.map((id) => [id as Token, { generateNext: { logits: true, options: {} } }]),
      );
    const logits = tf.tidy(() => model.logits(Int32Array.from(ids), 1).dataSync<'float32'>());
    const { vocabulary } = shipped.shape;
    const differences = results.map((result, position) => {
      const row = logits.subarray(position * vocabulary, (position + 1) * vocabulary);
      const theirs = result?.next.logits;
      return Math.max(
        ...row.map((logit, id) => Math.abs(logit - (theirs?.get(id as Token) ?? NaN))),
      );
    });
    expect(differences).toHaveLength(ids.length);
    for (const difference of differences) expect(difference).toBeLessThan(1e-3);
    await served.dispose();
  });

  it('has the held-out perplexity of its manifest, on a sample', () => {
    const tokenizer = bytePairTokenizer(shipped.vocabulary);
    const { heldOutPerplexity, heldOutTokens } = heldOutFigures(model, tokenizer, SAMPLE_BATCHES);
    expect(heldOutTokens).toBeGreaterThan(1_000);
    expect(heldOutTokens).toBeLessThan(manifest.training.heldOutTokens / 5);
    // Dialogues differ: the sample lies within a tenth of a bit.
    const bits = Math.log2(heldOutPerplexity / manifest.training.heldOutPerplexity);
    expect(Math.abs(bits)).toBeLessThan(0.1);
  });
});
