/** The shipped language models in llama.cpp and TensorFlow.js against `transformers`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { getLlama, type Llama, type Token } from 'node-llama-cpp';
import { readGguf } from '#engines/training/files/gguf.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { LlamaModel } from '#engines/training/model/llama.model.js';
import {
  distillationVectors,
  languageModelVectors,
  type PromptVectors,
  type ShippedLanguageModel,
} from './language-models/vectors.js';

const LOGIT_DIFFERENCE_MAX = 1e-3;

const NAMES: readonly ShippedLanguageModel[] = ['nano', 'mini', 'mini-draft'];

const pathOf = (file: string): string =>
  fileURLToPath(new URL(`../../models/${file}`, import.meta.url));

/** Logits after each id, by position and id. */
type LogitsOf = (position: number) => (id: number) => number;

const largestDifference = (logits: LogitsOf, { ids, lastLogits, topLogits }: PromptVectors) => {
  const last = logits(ids.length - 1);
  const differences = [
    ...lastLogits.map((logit, id) => Math.abs(logit - last(id))),
    ...topLogits.flatMap((tops, position) =>
      tops.map(([id, logit]) => Math.abs(logit - logits(position)(id))),
    ),
  ];
  return Math.max(...differences);
};

describe.each(NAMES)('%s', (name) => {
  const vectors = languageModelVectors(name);
  let bytes: Buffer;

  beforeAll(() => {
    bytes = readFileSync(pathOf(vectors.file));
  });

  it('is the file that was recorded', () => {
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(vectors.sha256);
    expect(vectors.prompts.length).toBeGreaterThanOrEqual(5);
  });

  it('has the logits and the greedy text of transformers in TensorFlow.js', async () => {
    await startTensorFlow();
    const { shape, tensors } = readGguf(bytes);
    const model = new LlamaModel(shape, tensors);
    for (const prompt of vectors.prompts) {
      const { ids, greedy } = prompt;
      const all = tf.tidy(() =>
        model.logits(Int32Array.from([...ids, ...greedy]), 1).dataSync<'float32'>(),
      );
      const rowOf = (position: number): Float32Array =>
        all.subarray(position * shape.vocabulary, (position + 1) * shape.vocabulary);
      const logits: LogitsOf = (position) => (id) => rowOf(position)[id] ?? NaN;
      expect(largestDifference(logits, prompt)).toBeLessThan(LOGIT_DIFFERENCE_MAX);
      const chosen = greedy.map((_, index) => {
        const row = rowOf(ids.length - 1 + index);
        return row.indexOf(Math.max(...row));
      });
      expect(chosen).toEqual(greedy);
    }
    model.dispose();
  });

  describe('in llama.cpp', () => {
    let llama: Llama;

    beforeAll(async () => {
      llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
    });

    afterAll(() => llama.dispose());

    it('has the ids, the logits and the greedy text of transformers', async () => {
      const model = await llama.loadModel({ modelPath: pathOf(vectors.file) });
      const context = await model.createContext({
        contextSize: 256,
        threads: 1,
        flashAttention: false,
        experimentalKvCacheKeyType: 'F32',
        experimentalKvCacheValueType: 'F32',
      });
      const sequence = context.getSequence();
      const wanted = { generateNext: { token: true, logits: true, options: { temperature: 0 } } };
      for (const prompt of vectors.prompts) {
        const { text, ids, greedy } = prompt;
        expect(model.tokenize(text, true)).toEqual(ids);
        await sequence.clearHistory();
        const tokens = [...ids, ...greedy] as Token[];
        const results = await sequence.controlledEvaluate(
          tokens.map((token) => [token, wanted] as const),
        );
        const logits: LogitsOf = (position) => (id) =>
          results[position]?.next.logits?.get(id as Token) ?? NaN;
        expect(largestDifference(logits, prompt)).toBeLessThan(LOGIT_DIFFERENCE_MAX);
        const chosen = results.slice(ids.length - 1).map((result) => result?.next.token);
        expect(chosen.slice(0, greedy.length)).toEqual(greedy);
      }
      await model.dispose();
    });
  });
});

describe('assisted generation of transformers', () => {
  it('gives the greedy text of the target, however many tokens the draft proposes', () => {
    const { draft, prompts } = languageModelVectors('mini');
    expect(draft).toBe('mini-draft');
    for (const { greedy, assisted } of prompts) {
      expect(Object.keys(assisted ?? {})).toEqual(['1', '3', '5']);
      for (const text of Object.values(assisted ?? {})) expect(text).toEqual(greedy);
    }
  });
});

describe('the loss of the draft', () => {
  const softmax = (logits: readonly number[], temperature: number): number[] => {
    const most = Math.max(...logits);
    const powers = logits.map((logit) => Math.exp((logit - most) / temperature));
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => power / total);
  };
  const { student, teacher, targets, weights, cases } = distillationVectors();
  const total = weights.reduce((sum, weight) => sum + weight, 0);

  /** By hand: KL of T-softened logits times T², whose gradient is T (q - p); and cross-entropy. */
  const lossAt = (position: number, { temperature, alpha, beta }: (typeof cases)[number]) => {
    const share = (weights[position] ?? NaN) / total;
    const own = student[position] ?? [];
    const p = softmax(teacher[position] ?? [], temperature);
    const q = softmax(own, temperature);
    const hard = softmax(own, 1);
    const target = targets[position] ?? -1;
    const divergence = p.reduce((sum, each, id) => sum + each * Math.log(each / (q[id] ?? NaN)), 0);
    const entropy = -Math.log(hard[target] ?? NaN);
    return {
      loss: share * (alpha * temperature ** 2 * divergence + beta * entropy),
      gradient: q.map((each, id) => {
        const soft = alpha * temperature * (each - (p[id] ?? NaN));
        return share * (soft + beta * ((hard[id] ?? NaN) - (id === target ? 1 : 0)));
      }),
    };
  };

  it.each(cases)('is alpha T² KL + beta CE at T = $temperature, alpha = $alpha', (given) => {
    const parts = student.map((_, position) => lossAt(position, given));
    expect(parts.reduce((sum, { loss }) => sum + loss, 0)).toBeCloseTo(given.loss, 6);
    parts.forEach(({ gradient }, position) => {
      gradient.forEach((slope, id) => {
        expect(slope).toBeCloseTo(given.gradient[position]?.[id] ?? NaN, 6);
      });
    });
  });
});
