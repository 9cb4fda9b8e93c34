/**
 * Speaks a corpus, trains the word recognizer on it and writes `models/speech/quipu-words`. The
 * command continues a corpus and a training that ended early.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  readSafetensors,
  type StoredTensor,
  writeSafetensors,
} from '#platform/safetensors/safetensors.js';
import { pcmOf } from '#engines/speech-recognition/audio/samples.js';
import { Recognizer } from '#engines/speech-recognition/recognizer.js';
import { type SpeechCard } from '#engines/speech-recognition/speech-card.js';
import { runPython } from '../python.js';
import { calibrate, evaluateSpeech } from './speech.evaluation.js';
import { recordingsOf } from './speech.corpus.js';
import { SPEECH_RECIPE } from './speech.recipe.js';

const FOLDER = 'tools/models/speech';

export interface SpeechOrder {
  readonly python: string;
  readonly out: string;
  readonly cache: string;
}

interface TrainedWeights {
  readonly tensors: Readonly<Record<string, { readonly shape: number[]; readonly at: number }>>;
  readonly result: { readonly steps: number; readonly loss: number; readonly seconds: number };
}

const trainedTensors = async (cache: string, { tensors }: TrainedWeights) => {
  const bytes = await readFile(path.join(cache, 'weights.bin'));
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return new Map<string, StoredTensor>(
    Object.entries(tensors).map(([name, { shape, at }]) => {
      const size = shape.reduce((product, dimension) => product * dimension, 1);
      return [name, { shape, values: values.slice(at, at + size) }];
    }),
  );
};

const LIMITS = [
  'It hears thirty English words, of one speaker at a time. It is no general recognizer.',
  'All voices of the training were synthesized; no recording of a person was heard.',
  'Speech of other words is reported as unrecognized, and at times as a word.',
];

const cardOf = (tensors: ReadonlyMap<string, StoredTensor>, result: TrainedWeights['result']) => {
  const { name, words, features, network, espeak, flite, seed } = SPEECH_RECIPE;
  const { length: variants } = espeak.variants;
  const { length: voices } = flite.voices;
  const parameters = [...tensors.values()].reduce((sum, { values }) => sum + values.length, 0);
  return {
    name,
    description: 'A convolutional CTC network that hears the English digits and twenty commands.',
    words: [...words],
    parameters,
    features,
    network,
    training: {
      seed,
      steps: result.steps,
      seconds: Math.round(result.seconds),
      voices:
        `espeak-ng: ${espeak.languages.length} accents, ${variants} variants; ` +
        `flite: ${voices} voices`,
    },
    limits: LIMITS,
  };
};

export const trainSpeech = async ({ python, out, cache }: SpeechOrder): Promise<void> => {
  await mkdir(cache, { recursive: true });
  const recipe = path.join(cache, 'recipe.json');
  const corpus = path.join(cache, 'corpus');
  await writeFile(recipe, JSON.stringify(SPEECH_RECIPE));
  await runPython(python, `${FOLDER}/corpus.py`, [recipe, corpus]);
  await runPython(python, `${FOLDER}/train.py`, [recipe, cache]);
  await describeSpeech({ out, cache });
};

/** Writes the weights of the last checkpoint, and scores them. */
export const describeSpeech = async ({
  out,
  cache,
}: Omit<SpeechOrder, 'python'>): Promise<void> => {
  const corpus = path.join(cache, 'corpus');
  const json = await readFile(path.join(cache, 'weights.json'), 'utf8');
  const trained = JSON.parse(json) as TrainedWeights;
  const tensors = await trainedTensors(cache, trained);
  const file = writeSafetensors(tensors);
  const weights = readSafetensors(file);
  const unscored = { utterances: 1, words: 1, wordErrorRate: 1 };
  const negatives = { recordings: 1, seconds: 1, inventedWords: 0 };
  const card: SpeechCard = {
    ...cardOf(tensors, trained.result),
    thresholds: { report: 0, confident: 0.9 },
    heldOut: {
      espeakVoices: unscored,
      fliteVoices: unscored,
      noisy: unscored,
      sounds: negatives,
      otherSpeech: negatives,
      wordTimeErrorMs: 0,
    },
    weightsSha256: createHash('sha256').update(file).digest('hex'),
  };
  const thresholds = await calibrate({ card, weights }, corpus);
  const calibrated = { ...card, thresholds };
  const heldOut = await evaluateSpeech({ card: calibrated, weights }, corpus);
  const folder = path.join(out, SPEECH_RECIPE.name);
  await mkdir(path.join(folder, 'samples'), { recursive: true });
  await writeFile(path.join(folder, 'model.safetensors'), file);
  const final = { ...calibrated, heldOut };
  await writeFile(path.join(folder, 'card.json'), `${JSON.stringify(final, null, 2)}\n`);
  await writeSamples(
    path.join(folder, 'samples'),
    corpus,
    new Recognizer({ card: final, weights }),
  );
  console.log(JSON.stringify({ thresholds: final.thresholds, heldOut }, null, 2));
};

/** Held-out recordings by which the shipped weights are checked, the first of each kind. */
const SAMPLES = { heldOutWords: 12, heldOutOthers: 4, heldOutSounds: 2 } as const;
const SAMPLE_SECONDS_MAX = 2.5;

const writeSamples = async (
  folder: string,
  corpus: string,
  recognizer: Recognizer,
): Promise<void> => {
  const listed = [];
  for (const [part, count] of Object.entries(SAMPLES)) {
    const recordings = await recordingsOf(corpus, part);
    const cut = recordings.map((one) =>
      one.program === null ? { ...one, samples: one.samples.slice(0, 2 * 16_000) } : one,
    );
    const short = cut.filter(({ samples }) => samples.length < SAMPLE_SECONDS_MAX * 16_000);
    for (const [at, { samples, words }] of short.slice(0, count).entries()) {
      const name = `${part}-${at}.pcm`;
      const pcm = pcmOf(samples);
      await writeFile(path.join(folder, name), pcm);
      const { heard } = recognizer.hear(samples, { before: 0, after: 0 });
      listed.push({ name, spoken: words, heard: heard.flatMap(({ word }) => word ?? []) });
    }
  }
  await writeFile(path.join(folder, 'samples.json'), `${JSON.stringify(listed, null, 2)}\n`);
};
