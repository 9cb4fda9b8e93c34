import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';
import { SpikingBatchHoldEvidence, SpikingCounts } from './spiking.evidence.js';

/** The public fields of the job of a batch of spiking runs in the events of jobs. */

/** The name of its type. */
export const SPIKING_BATCH_JOB = 'spiking-batch';

/** In `JobSubmitted`. */
export const SpikingBatchSummary = SpikingBatchHoldEvidence.extend({
  routingMode: z.string().min(1).max(64),
  gridGramsPerKwh: z.int().nonnegative(),
});
export type SpikingBatchSummary = z.infer<typeof SpikingBatchSummary>;

/** In `JobProgressed` and `JobCompleted`. */
export const SpikingBatchProgress = z.strictObject({
  runs: z.int().nonnegative(),
  /** Inputs that the network rejected. */
  rejected: z.int().nonnegative(),
  counts: SpikingCounts,
  /** Null before the first run. */
  weightsSha256: Sha256Hex.nullable(),
  meterVersion: z.int().nonnegative().nullable(),
});
export type SpikingBatchProgress = z.infer<typeof SpikingBatchProgress>;
