/** The recordings that the training made, as the engine hears them. */
import { open, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { samplesIn } from '#engines/speech-recognition/audio/samples.js';

const SAMPLE_BYTES = 2;

interface Utterance {
  readonly labels: readonly string[];
  /** In samples. */
  readonly at: number;
  readonly samples: number;
  readonly voice?: { readonly program: string };
}

export interface Recording {
  readonly samples: Float32Array;
  /** The words of the vocabulary that are spoken. */
  readonly words: readonly string[];
  /** The program that spoke; null for a sound. */
  readonly program: string | null;
}

export const OTHER_SPEECH = '<other>';

const read = async (file: FileHandle, { at, samples }: Utterance): Promise<Float32Array> => {
  const bytes = Buffer.alloc(samples * SAMPLE_BYTES);
  await file.read(bytes, 0, bytes.length, at * SAMPLE_BYTES);
  return samplesIn(bytes);
};

/** The recordings of one part of the corpus. */
export const recordingsOf = async (folder: string, part: string): Promise<readonly Recording[]> => {
  const json = await readFile(path.join(folder, `${part}.json`), 'utf8');
  const utterances = JSON.parse(json) as readonly Utterance[];
  const file = await open(path.join(folder, `${part}.pcm`));
  try {
    const recordings: Recording[] = [];
    for (const utterance of utterances) {
      recordings.push({
        samples: await read(file, utterance),
        words: utterance.labels.filter((label) => label !== OTHER_SPEECH),
        program: utterance.voice?.program ?? null,
      });
    }
    return recordings;
  } finally {
    await file.close();
  }
};

/** With silence around it. */
export const inSilence = (samples: Float32Array, around: number): Float32Array => {
  const whole = new Float32Array(samples.length + 2 * around);
  whole.set(samples, around);
  return whole;
};

const levelOf = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

/** With a sound under it that is so many decibels lower. */
export const overSound = (
  samples: Float32Array,
  sound: Float32Array,
  decibels: number,
): Float32Array => {
  const gain = (levelOf(samples) / levelOf(sound)) * 10 ** (-decibels / 20);
  return samples.map((sample, at) => sample + gain * (sound[at % sound.length] ?? 0));
};
