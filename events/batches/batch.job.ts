import { z } from 'zod';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { BatchCounts } from './batch.events.js';

/** The public fields of the job of a batch in the events of jobs. */

/** The name of its type. */
export const BATCH_JOB = 'batch';

/** In `JobProgressed` and `JobCompleted`. */
export const BatchProgress = BatchCounts.extend({ usageDoubts: UsageDoubts.exactOptional() });
export type BatchProgress = z.infer<typeof BatchProgress>;

/** In `JobSubmitted`. */
export const BatchSummary = z.strictObject({
  endpoint: z.string().min(1).max(128),
  inputFileId: z.string().min(1).max(128),
  model: z.string().min(1).max(256),
  lines: z.int().positive(),
});
export type BatchSummary = z.infer<typeof BatchSummary>;
