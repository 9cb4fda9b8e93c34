import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getLlama, type Llama, type Token } from 'node-llama-cpp';
import { readGguf, writeGguf } from '#engines/training/files/gguf.js';
import { tensorShapes } from '#engines/training/model/llama.model.js';
import {
  createLanguageModelEngine,
  type LanguageModelEngine,
} from '../language-model/language-model.engine.js';
import { chiSquare, chiSquareMax } from './chi-square.fixture.js';
import { SpeculativeEngine, type SpeculativeRequest } from './speculative.engine.js';
import { SPECULATIVE_FAILURES } from './speculative.engine.errors.js';

const NANO = path.resolve(import.meta.dirname, '../../../models/nano.gguf');
const never = (): AbortSignal => new AbortController().signal;

/** The models differ much in how they answer it. */
const SAMPLED_PROMPT = 'Tell me about holds';

const PROMPTS = [
  'What is Quipu?',
  'Who are you?',
  'How do I run this thing?',
  'What is a hold, and when is it captured?',
  'Tell me a joke.',
  'Write a poem about knots and cords.',
  'Größe: 10 € – 你好?',
  'Which event store can I use in production, and how do I choose it?',
];

/** The first layers of nano: another model, with the same vocabulary. */
const truncated = async (layers: number): Promise<Buffer> => {
  const { shape, tensors, ...model } = readGguf(await readFile(NANO));
  const shorter = { ...shape, layers };
  const kept = tensorShapes(shorter).map(([name]) => {
    const tensor = tensors.find((one) => one.name === name);
    if (!tensor) throw new Error(`nano has no ${name}`);
    return tensor;
  });
  return writeGguf({ ...model, name: `nano-${layers}`, shape: shorter, tensors: kept });
};

/** Tokens by their text, which several may share, the likeliest first. */
type Law = readonly (readonly [text: string, probability: number])[];

const normalized = (law: Law): Law => {
  const sum = law.reduce((total, [, weight]) => total + weight, 0);
  return law.map(([text, weight]) => [text, weight / sum]);
};

const scaled = (law: Law, temperature: number): Law =>
  normalized(law.map(([text, p]) => [text, p ** (1 / temperature)]));

/** The likeliest tokens that reach a share together. */
const cut = (law: Law, share: number): Law => {
  let sum = 0;
  return normalized(law.filter(([, p]) => (sum += p) - p < share));
};

const byText = (law: Law): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  for (const [text, p] of law) sums.set(text, (sums.get(text) ?? 0) + p);
  return sums;
};

/** The text of a stream, its first delta, and what it returns. */
const collected = async <Usage extends object>(deltas: AsyncGenerator<string, Usage>) => {
  const texts: string[] = [];
  for (;;) {
    const next = await deltas.next();
    if (next.done) return { text: texts.join(''), first: texts[0] ?? '', ...next.value };
    texts.push(next.value);
  }
};

describe('speculative decoding', () => {
  let folder: string;
  let layers3: string;
  let engine: SpeculativeEngine;
  let plain: LanguageModelEngine;
  let llama: Llama;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-pairs-'));
    layers3 = path.join(folder, 'nano-3.gguf');
    await writeFile(layers3, await truncated(3));
    engine = new SpeculativeEngine();
    plain = createLanguageModelEngine();
    llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
  });

  afterAll(async () => {
    await engine.close();
    await plain.close();
    await llama.dispose();
    await rm(folder, { recursive: true });
  });

  const request = (content: string, more: Partial<SpeculativeRequest> = {}) => ({
    targetFile: NANO,
    draftFile: layers3,
    temperature: 0,
    maxTokens: 48,
    draftTokensMax: 5,
    messages: [{ role: 'user', content }] as const,
    ...more,
  });

  const complete = async (asked: SpeculativeRequest, signal = never(), by = engine) =>
    collected(by.stream(asked, signal));

  const deltasOf = async (asked: SpeculativeRequest): Promise<readonly string[]> =>
    Array.fromAsync(engine.stream(asked, never()));

  /** The first tokens of an answer with their probabilities, straight from llama.cpp. */
  const firstTokens = async (modelPath: string) => {
    const model = await llama.loadModel({ modelPath });
    const context = await model.createContext({ contextSize: 256, threads: 1 });
    const prompt = `<|im_start|>user\n${SAMPLED_PROMPT}<|im_end|>\n<|im_start|>assistant\n`;
    const ids = model.tokenize(prompt, true);
    const options = { temperature: 1, topK: 0, topP: 1, minP: 0 };
    const last = ids.length - 1;
    const outputs = await context
      .getSequence()
      .controlledEvaluate(
        ids.map((id, at) =>
          at === last ? [id, { generateNext: { probabilities: true, options } }] : id,
        ),
      );
    const probabilities = outputs[last]?.next.probabilities ?? new Map<Token, number>();
    const texts = [...probabilities].map(([id, p]) => [model.detokenize([id]), p] as const);
    await model.dispose();
    return texts.toSorted(([, one], [, other]) => other - one);
  };

  const completePlainly = async ({ targetFile, ...asked }: SpeculativeRequest) => {
    return collected(plain.stream({ ...asked, modelFile: targetFile }, never()));
  };

  it.each([1, 5])('writes the text of plain decoding, drafting %i at a time', async (steps) => {
    for (const prompt of PROMPTS) {
      const asked = request(prompt, { draftTokensMax: steps });
      const { text, promptTokens, completionTokens, finishReason } = await completePlainly(asked);
      expect(await complete(asked)).toMatchObject({
        text,
        promptTokens,
        completionTokens,
        finishReason,
      });
    }
  });

  it('accepts every draft of the target itself, and counts no bonus token as one', async () => {
    const { counts } = await complete(request('What is Quipu?', { draftFile: NANO }));
    expect(counts).toMatchObject({
      draftTokens: 40,
      acceptedTokens: 40,
      targetCalls: 8,
      plainCalls: 48,
    });
  });

  it('accepts a part of the drafts of another model', async () => {
    const { counts } = await complete(request('What is Quipu?', { temperature: 1, seed: 5 }));
    expect(counts?.acceptedTokens).toBeGreaterThan(0);
    expect(counts?.acceptedTokens).toBeLessThan(counts?.draftTokens ?? 0);
    expect(counts?.targetCalls).toBeLessThan(counts?.plainCalls ?? 0);
  });

  it('keeps both caches: no token of the prompt or the answer is evaluated again', async () => {
    const { promptTokens, counts } = await complete(request('Who are you?', { maxTokens: 40 }));
    const { draftTokens = 0, targetCalls = 0, acceptedTokens = 0 } = counts ?? {};
    expect(acceptedTokens).toBeLessThan(draftTokens);
    expect(counts?.targetEvaluatedTokens).toBe(promptTokens - 1 + targetCalls + draftTokens);
    const ofDraft = counts?.draftEvaluatedTokens ?? 0;
    expect(ofDraft).toBeLessThanOrEqual(promptTokens + draftTokens + targetCalls);
  });

  it('samples the first token as the target does', async () => {
    const draftFile = path.join(folder, 'nano-2.gguf');
    await writeFile(draftFile, await truncated(2));
    const asked = { draftFile, temperature: 1, maxTokens: 2, draftTokensMax: 1 };
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 200; seed += 1) {
      const [first = ''] = await deltasOf(request(SAMPLED_PROMPT, { ...asked, seed }));
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    const wanted = byText(await firstTokens(NANO));
    const drafted = byText(await firstTokens(draftFile));
    const { statistic, freedom } = chiSquare(counts, wanted);
    expect(freedom).toBeGreaterThan(2);
    expect(statistic).toBeLessThan(chiSquareMax(freedom));
    // A sampler that takes the draft's word would be far off.
    const ofDraft = chiSquare(counts, drafted);
    expect(ofDraft.statistic).toBeGreaterThan(2 * chiSquareMax(ofDraft.freedom));
  });

  it('scales by the temperature before top_p cuts, as plain decoding does', async () => {
    const whole = await firstTokens(NANO);
    const [temperature, topP] = [2, 0.8];
    const wanted = byText(cut(scaled(whole, temperature), topP));
    const cutFirst = byText(cut(whole, topP));
    expect(wanted.size).toBeGreaterThan(cutFirst.size);
    const asked = { temperature, topP, maxTokens: 2, draftTokensMax: 1 };
    for (const draw of [completePlainly, complete]) {
      const counts = new Map<string, number>();
      for (let seed = 0; seed < 200; seed += 1) {
        const { first } = await draw(request(SAMPLED_PROMPT, { ...asked, seed }));
        counts.set(first, (counts.get(first) ?? 0) + 1);
      }
      expect([...counts.keys()].filter((token) => !wanted.has(token))).toEqual([]);
      const { statistic, freedom } = chiSquare(counts, wanted);
      expect(freedom).toBeGreaterThan(2);
      expect(statistic).toBeLessThan(chiSquareMax(freedom));
      expect([...counts.keys()].some((token) => !cutFirst.has(token))).toBe(true);
    }
  });

  it('repeats a seed, and draws another text without one', async () => {
    const asked = request('Tell me a story.', { temperature: 1.5, topP: 0.9 });
    const { text } = await complete({ ...asked, seed: 11 });
    expect(await complete({ ...asked, seed: 11 })).toMatchObject({ text });
    expect((await complete({ ...asked, seed: 12 })).text).not.toBe(text);
  });

  it('draws from the top of the probability of both models', async () => {
    const asked = { temperature: 2, topP: 1e-6, maxTokens: 16 };
    const { text } = await complete(request('What is Quipu?', { maxTokens: 16 }));
    expect(await complete(request('What is Quipu?', asked))).toMatchObject({ text });
  });

  it('ends before a stop string, with the counts up to there', async () => {
    const { text, counts, finishReason } = await complete(
      request('What is Quipu?', { stop: ['gateway'] }),
    );
    expect(text).toBe('Quipu is an auditable compute and inference ');
    expect(finishReason).toBe('stop');
    expect(counts?.draftTokens).toBeGreaterThan(0);
  });

  it('compares itself with plain decoding, from the second request on', async () => {
    const fresh = new SpeculativeEngine({ comparisonShare: 1 });
    const asked = request('What is Quipu?', { maxTokens: 8 });
    try {
      expect((await complete(asked, never(), fresh)).comparison).toBeNull();
      const { comparison } = await complete(asked, never(), fresh);
      expect(comparison).toEqual({ speedup: expect.any(Number), requests: 1 });
      expect(comparison?.speedup).toBeGreaterThan(0);
    } finally {
      await fresh.close();
    }
  });

  it('rejects a draft with another vocabulary before a model is loaded', async () => {
    const { vocabulary, ...model } = readGguf(await readFile(NANO));
    const [one = '', two = '', ...tokens] = vocabulary.tokens;
    const swapped = { ...vocabulary, tokens: [two, one, ...tokens] };
    const draftFile = path.join(folder, 'swapped.gguf');
    await writeFile(draftFile, writeGguf({ ...model, vocabulary: swapped }));
    await expect(complete(request('Hello', { draftFile }))).rejects.toMatchObject({
      code: 'vocabulary_mismatch',
      message: expect.stringContaining('tokenizer.ggml.tokens differs at 0'),
    });
  });

  it('names what it cannot work with, by a code of its list', async () => {
    const long = 'knots and cords '.repeat(500);
    const rejections = [
      [request('Hello', { draftFile: path.join(folder, 'none.gguf') }), 'model_file_missing'],
      [request('Hello', { targetFile: import.meta.filename }), 'model_file_invalid'],
      [request(long), 'prompt_too_long'],
    ] as const;
    for (const [asked, code] of rejections) {
      await expect(complete(asked)).rejects.toMatchObject({ code });
      expect(Object.keys(SPECULATIVE_FAILURES)).toContain(code);
    }
  });

  it('ends at once when its signal aborts, and serves the next request', async () => {
    const controller = new AbortController();
    const deltas = engine.stream(request('Tell me a story.'), controller.signal);
    await deltas.next();
    controller.abort();
    let next = await deltas.next();
    while (!next.done) next = await deltas.next();
    expect(next.value.completionTokens).toBeLessThan(48);
    expect(await complete(request('Who are you?'))).toMatchObject({ finishReason: 'stop' });
  });
});
