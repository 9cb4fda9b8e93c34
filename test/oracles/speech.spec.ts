/** The features and the network of the speech recognizer beside librosa and PyTorch. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LogMel } from '#engines/speech-recognition/features/log-mel.js';
import { SpeechNetwork } from '#engines/speech-recognition/network.js';
import { loadSpeechModel, type SpeechModel } from '#engines/speech-recognition/speech-model.js';

const vectors = JSON.parse(
  readFileSync(new URL('./speech/vectors.json', import.meta.url), 'utf8'),
) as {
  readonly weightsSha256: string;
  readonly mel: readonly number[];
  readonly scores: readonly number[];
};

const RATE = 16_000;
const SECONDS = 1.5;

/** The signal of `speech/record.py`. */
const samples = Float32Array.from({ length: SECONDS * RATE }, (_, at) => {
  const time = at / RATE;
  const tones =
    0.3 * Math.sin(2 * Math.PI * (200 + 900 * time) * time) +
    0.1 * Math.sin(2 * Math.PI * 3_100 * time);
  return tones * (0.5 + 0.5 * Math.sin(2 * Math.PI * 3 * time));
});

const farthest = (values: Float32Array, recorded: readonly number[]): number =>
  recorded.reduce((most, value, at) => Math.max(most, Math.abs(value - (values[at] ?? 0))), 0);

describe('the speech recognizer', () => {
  let model: SpeechModel;

  beforeAll(async () => {
    model = await loadSpeechModel([path.resolve(import.meta.dirname, '../../models')]);
  });

  it('has the weights of the record', () => {
    expect(model.card.weightsSha256).toBe(vectors.weightsSha256);
  });

  it('has the log-mel energies of librosa', () => {
    const mel = new LogMel(model.card.features).of(samples);
    expect(mel.length).toBe(vectors.mel.length);
    expect(farthest(mel, vectors.mel)).toBeLessThan(1e-3);
  });

  it('has the scores of PyTorch', () => {
    const network = new SpeechNetwork(model.card, model.weights);
    const scores = network.logProbabilities(Float32Array.from(vectors.mel));
    expect(scores.length).toBe(vectors.scores.length);
    expect(farthest(scores, vectors.scores)).toBeLessThan(1e-4);
  });
});
