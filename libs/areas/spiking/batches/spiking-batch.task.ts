import { z } from 'zod';
import { JobUsage } from '#events/jobs/job.events.js';
import { SpikingBatchProgress } from '#events/spiking/spiking-batch.job.js';
import { Sha256Hex } from '#events/vocabulary.js';
import { SpikingEnd, SpikingInput } from '../spiking.engine.js';
import { NEURON_MODELS } from '../spiking.modes.js';

/** Inputs of one batch. */
export const BATCH_INPUTS_MAX = 1_000;

const Count = z.int().nonnegative();

export const SpikingBatchInput = z.strictObject({
  slug: z.string(),
  /** Of the card by which the batch was priced. */
  weightsSha256: Sha256Hex,
  neuron: z.enum(NEURON_MODELS),
  timesteps: SpikingInput.shape.timesteps,
  /** The most that one run is charged for. */
  bound: z.strictObject({ synapticEvents: Count, macs: Count }),
  inputs: z.array(SpikingInput.shape.inputData).min(1).max(BATCH_INPUTS_MAX),
});
export type SpikingBatchInput = z.infer<typeof SpikingBatchInput>;

/** The outcome of one input. */
export const SpikingBatchItem = z.union([
  z.strictObject({
    index: Count,
    classification: SpikingEnd.shape.classification,
    completion: z.string(),
    spikes: Count,
    synapticEvents: Count,
    macs: Count,
    latencyMs: z.number(),
  }),
  /** Why the network rejected it; free of charge. */
  z.strictObject({ index: Count, rejection: z.string() }),
]);
export type SpikingBatchItem = z.infer<typeof SpikingBatchItem>;

export const SpikingBatchResult = z.strictObject({ items: z.array(SpikingBatchItem) });
export type SpikingBatchResult = z.infer<typeof SpikingBatchResult>;

/** Where another attempt continues: the items so far, and their sums. */
export const SpikingBatchCheckpoint = SpikingBatchResult.extend({ shown: SpikingBatchProgress });
export type SpikingBatchCheckpoint = z.infer<typeof SpikingBatchCheckpoint>;

export const SpikingBatchAttempt = z.strictObject({
  jobId: z.string(),
  accountId: z.string(),
  submittedAt: z.string(),
  attempt: z.int(),
  input: SpikingBatchInput,
  checkpoint: SpikingBatchCheckpoint.nullable(),
  usage: z.array(JobUsage).readonly(),
});
export type SpikingBatchAttempt = z.infer<typeof SpikingBatchAttempt>;

export const SpikingBatchPiece = z.strictObject({
  done: Count,
  total: Count,
  shown: SpikingBatchProgress,
  checkpoint: SpikingBatchCheckpoint,
  usage: z.array(JobUsage),
});
export type SpikingBatchPiece = z.infer<typeof SpikingBatchPiece>;

export const SpikingBatchEnd = z.strictObject({
  result: SpikingBatchResult,
  shown: SpikingBatchProgress,
  usage: z.array(JobUsage),
});
export type SpikingBatchEnd = z.infer<typeof SpikingBatchEnd>;
