import { z } from 'zod';

/** Of all audio that the recognizer hears. */
export const SAMPLE_RATE = 16_000;
/** Of one window with its context: its samples fit into a message to a worker. */
export const WINDOW_SECONDS_MAX = 20;
/** Four bytes of base64 for three of the samples, of two bytes each. */
const BASE64_MAX = Math.ceil((WINDOW_SECONDS_MAX * SAMPLE_RATE * 2) / 3) * 4;

/** A window of a recording. */
export const SpeechInput = z.strictObject({
  /** 16-bit little-endian samples of one channel at 16 kHz, in base64. */
  samples: z.base64().max(BASE64_MAX),
  /** Samples before and behind the part whose words are reported: they are only heard. */
  before: z.int().nonnegative(),
  after: z.int().nonnegative(),
});
export type SpeechInput = z.infer<typeof SpeechInput>;

const Probability = z.number().min(0).max(1);

/** Something that was said; seconds from the start of the window. */
export const HeardWord = z.strictObject({
  /** Null for speech that is no word of the vocabulary, or not surely one. */
  word: z.string().min(1).nullable(),
  start: z.number().nonnegative(),
  end: z.number().nonnegative(),
  /** Of the word, or of the likeliest label where the word is null. */
  confidence: Probability,
});
export type HeardWord = z.infer<typeof HeardWord>;

export const SpeechEnd = z.strictObject({
  model: z.string().min(1),
  weightsSha256: z.string().length(64),
  heard: z.array(HeardWord),
  /** That no word of the vocabulary is in the window. */
  noSpeechProbability: Probability,
});
export type SpeechEnd = z.infer<typeof SpeechEnd>;
