import { z } from 'zod';
import { UserId } from '#events/vocabulary.js';

/** The input of a batch: equal for every repetition of its request. */
export const BatchInput = z.strictObject({
  userId: UserId,
  endpoint: z.string(),
  inputFileId: z.string(),
  completionWindow: z.enum(['24h']),
  metadata: z.record(z.string(), z.string()).nullable(),
  outputExpiresAfterSeconds: z.int().positive().nullable(),
  model: z.string(),
  lines: z.int().positive(),
});
export type BatchInput = z.infer<typeof BatchInput>;

export const WINDOW_MS = 24 * 60 * 60 * 1_000;
