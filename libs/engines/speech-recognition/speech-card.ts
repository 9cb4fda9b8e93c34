import { z } from 'zod';

const Count = z.int().positive();

/** How samples become log energies of mel bands. */
export const SpeechFeatures = z.strictObject({
  sampleRate: Count,
  frameSamples: Count,
  windowSamples: Count,
  hopSamples: Count,
  bands: Count,
  lowestHz: z.number(),
  highestHz: z.number(),
  floor: z.number().positive(),
});
export type SpeechFeatures = z.infer<typeof SpeechFeatures>;

export const SpeechNetwork = z.strictObject({
  channels: Count,
  blocks: Count,
  kernel: Count,
  inputKernel: Count,
  stride: Count,
});
export type SpeechNetwork = z.infer<typeof SpeechNetwork>;

/** Of recordings whose voices the training did not hear. */
const HeldOutWords = z.strictObject({
  utterances: Count,
  words: Count,
  /** Substituted, deleted and inserted words, in parts of the spoken words. */
  wordErrorRate: z.number().nonnegative(),
});

/** Of sounds and speech without a word of the vocabulary. */
const HeldOutNegatives = z.strictObject({
  recordings: Count,
  seconds: z.number().positive(),
  inventedWords: z.int().nonnegative(),
});

/** A model, its limits and its measured scores. */
export const SpeechCard = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  words: z.array(z.string().min(1)).min(1),
  parameters: Count,
  features: SpeechFeatures,
  network: SpeechNetwork,
  /** Below the first, a word is not reported. Below the second, it is of low confidence. */
  thresholds: z.strictObject({ report: z.number(), confident: z.number() }),
  heldOut: z.strictObject({
    espeakVoices: HeldOutWords,
    fliteVoices: HeldOutWords,
    noisy: HeldOutWords,
    sounds: HeldOutNegatives,
    otherSpeech: HeldOutNegatives,
    /** The median distance between stated and real ends of words that silence surrounds. */
    wordTimeErrorMs: z.number().nonnegative(),
  }),
  training: z.strictObject({
    seed: z.int(),
    steps: Count,
    seconds: z.number().positive(),
    voices: z.string(),
  }),
  limits: z.array(z.string()),
  weightsSha256: z.string().length(64),
});
export type SpeechCard = z.infer<typeof SpeechCard>;
