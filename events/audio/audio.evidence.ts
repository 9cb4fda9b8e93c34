import { z } from 'zod';
import { KeyedHash, Sha256Hex } from '../vocabulary.js';

/** The evidence of transcriptions and speech in the events of their holds: no sound, no text. */

const Model = z.strictObject({
  asked: z.string().min(1),
  answered: z.string().min(1),
});

/** The embedded engine or program, or the upstream by its name. */
const Engine = z.union([z.literal('embedded'), z.string().regex(/^upstream:[a-z0-9-]{1,64}$/)]);

export const TranscriptionHoldEvidence = z.strictObject({
  model: Model,
  engine: Engine,
  task: z.enum(['transcribe', 'translate']),
  audioMs: z.int().positive(),
});
export type TranscriptionHoldEvidence = z.infer<typeof TranscriptionHoldEvidence>;

export const TranscriptionCaptureEvidence = TranscriptionHoldEvidence.extend({
  /** Of the samples as they were heard. */
  audioHash: KeyedHash,
  /** Of the text; null for a caller that left before it. */
  textHash: KeyedHash.nullable(),
  /** Of the embedded model; null for an upstream. */
  weightsSha256: Sha256Hex.nullable(),
});
export type TranscriptionCaptureEvidence = z.infer<typeof TranscriptionCaptureEvidence>;

export const SpeechHoldEvidence = z.strictObject({
  model: Model,
  engine: Engine,
  characters: z.int().positive(),
});
export type SpeechHoldEvidence = z.infer<typeof SpeechHoldEvidence>;

export const SpeechCaptureEvidence = SpeechHoldEvidence.extend({
  voice: z.string().min(1).max(64),
  format: z.string().min(1).max(16),
  textHash: KeyedHash,
});
export type SpeechCaptureEvidence = z.infer<typeof SpeechCaptureEvidence>;

/** Of a long recording, as a job. */
export const LongTranscriptionCaptureEvidence = TranscriptionHoldEvidence.extend({
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
  /** Null for a job that did not complete. */
  words: z.int().nonnegative().nullable(),
});
export type LongTranscriptionCaptureEvidence = z.infer<typeof LongTranscriptionCaptureEvidence>;
