import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { samplesIn } from './audio/samples.js';
import { Recognizer } from './recognizer.js';
import { loadSpeechModel } from './speech-model.js';
import { SpeechEngine } from './speech.engine.js';
import { pcmOf } from './audio/samples.js';

const MODELS = path.resolve(import.meta.dirname, '../../../models');
const SAMPLES = path.join(MODELS, 'speech/quipu-words/samples');
const RATE = 16_000;
const WHOLE = { before: 0, after: 0 };

interface Sample {
  readonly name: string;
  readonly spoken: readonly string[];
  readonly heard: readonly string[];
}

const listed = JSON.parse(
  readFileSync(path.join(SAMPLES, 'samples.json'), 'utf8'),
) as readonly Sample[];

const recordingOf = ({ name }: Sample): Float32Array =>
  samplesIn(readFileSync(path.join(SAMPLES, name)));

/** A generator of the same numbers in every run. */
const numbers = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
};

const sound = (seconds: number, at: (sample: number) => number): Float32Array =>
  Float32Array.from({ length: seconds * RATE }, (_, sample) => at(sample));

/** Three notes that are struck in turn over a chord. */
const music = (sample: number): number => {
  const time = sample / RATE;
  const pitch = [262, 330, 392][Math.floor(time * 4) % 3] ?? 262;
  const struck = Math.exp(-6 * ((time * 4) % 1));
  const chord = Math.sin(2 * Math.PI * 131 * time) + Math.sin(2 * Math.PI * 196 * time);
  return 0.3 * struck * Math.sin(2 * Math.PI * pitch * time) + 0.1 * chord;
};

describe('the speech recognizer', () => {
  let recognizer: Recognizer;

  beforeAll(async () => {
    recognizer = new Recognizer(await loadSpeechModel([MODELS]));
  });

  const wordsOf = (samples: Float32Array): readonly string[] =>
    recognizer.hear(samples, WHOLE).heard.flatMap(({ word }) => word ?? []);

  it('hears in the shipped recordings of held-out voices what its training recorded', () => {
    for (const sample of listed) {
      expect([sample.name, wordsOf(recordingOf(sample))]).toEqual([sample.name, sample.heard]);
    }
  });

  it('adds no word to silence, noise, tones and music', () => {
    const noise = numbers(7);
    expect(wordsOf(sound(4, () => 0))).toEqual([]);
    for (const level of [0.001, 0.03, 0.3]) {
      expect(wordsOf(sound(4, () => level * noise()))).toEqual([]);
    }
    expect(wordsOf(sound(4, (at) => 0.4 * Math.sin((2 * Math.PI * 440 * at) / RATE)))).toEqual([]);
    expect(wordsOf(sound(4, music))).toEqual([]);
  });

  it('hears windows of a recording as the whole', () => {
    const spoken = listed.filter(({ spoken: words }) => words.length > 0);
    const parts = [...spoken, ...spoken].map(recordingOf);
    const gap = 4_000;
    const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length + gap, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length + gap;
    }
    const [core, context] = [4 * RATE, 2 * RATE];
    const heard: (readonly [string | null, number])[] = [];
    for (let start = 0; start < whole.length; start += core) {
      const before = Math.min(context, start);
      const until = Math.min(whole.length, start + core);
      const after = Math.min(context, whole.length - until);
      const window = whole.subarray(start - before, until + after);
      for (const { word, confidence } of recognizer.hear(window, { before, after }).heard) {
        heard.push([word, confidence]);
      }
    }
    const expected = recognizer.hear(whole, WHOLE).heard;
    expect(heard.map(([word]) => word)).toEqual(expected.map(({ word }) => word));
    for (const [place, { confidence }] of expected.entries()) {
      expect(heard[place]?.[1]).toBeCloseTo(confidence, 5);
    }
  });

  it('hears what is shorter than a frame as nothing', () => {
    expect(wordsOf(new Float32Array(3))).toEqual([]);
  });

  it('runs in a thread, from its first window until it is closed', async () => {
    const engine = new SpeechEngine([MODELS]);
    const [sample] = listed;
    if (!sample) throw new Error('there is no recording');
    const samples = pcmOf(recordingOf(sample)).toString('base64');
    const { signal } = new AbortController();
    const end = await engine.run({ samples, ...WHOLE }, signal);
    expect(end.model).toBe('quipu-words');
    expect(end.heard.flatMap(({ word }) => word ?? [])).toEqual(sample.heard);
    await engine.close();
    await expect(engine.run({ samples, ...WHOLE }, signal)).rejects.toThrow('closed');
  });

  it('says what is missing where there is no model', async () => {
    const engine = new SpeechEngine([path.join(MODELS, 'none')]);
    const work = engine.run({ samples: '', ...WHOLE }, new AbortController().signal);
    await expect(work).rejects.toMatchObject({ code: 'model_missing' });
    await engine.close();
  });
});
