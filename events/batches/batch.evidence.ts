import { z } from 'zod';
import { UsageDoubts } from '../token-usage.vocabulary.js';

/** The evidence of a batch in the events of its hold: `HoldPlaced` and `HoldCaptured`. */

const ofBatch = {
  endpoint: z.string().min(1).max(128),
  inputFileId: z.string().min(1).max(128),
  /** The model that every line asks for. */
  model: z.string().min(1).max(256),
};

export const BatchHoldEvidence = z.strictObject({
  ...ofBatch,
  /** The lines of the input file. */
  lines: z.int().positive(),
  /** How much less than without a batch the held unit prices are. */
  batchDiscountPercent: z.int().min(0).max(100),
});
export type BatchHoldEvidence = z.infer<typeof BatchHoldEvidence>;

/**
 * Each line of the output file states what it is charged for. Their sum is the quantity of the
 * charge, so the bill can be recomputed from the file.
 */
export const BatchCaptureEvidence = z.strictObject({
  ...ofBatch,
  /** The batch: the same id as its job and its hold. */
  batchId: z.uuid(),
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
  /** Processes that worked on it, one after the other. */
  attempts: z.int().nonnegative(),
  usageDoubts: UsageDoubts.exactOptional(),
});
export type BatchCaptureEvidence = z.infer<typeof BatchCaptureEvidence>;
