import { z } from 'zod';
import { TranscriptionHoldEvidence } from './audio.evidence.js';

/** The public fields of the job of a long transcription in the events of jobs. */

/** The name of its type. */
export const TRANSCRIPTION_JOB = 'transcription';

/** In `JobSubmitted`. */
export const TranscriptionSummary = TranscriptionHoldEvidence;
export type TranscriptionSummary = z.infer<typeof TranscriptionSummary>;

/** In `JobProgressed` and `JobCompleted`. */
export const TranscriptionProgress = z.strictObject({
  /** Milliseconds of the recording so far. */
  heardMs: z.int().nonnegative(),
  words: z.int().nonnegative(),
});
export type TranscriptionProgress = z.infer<typeof TranscriptionProgress>;
