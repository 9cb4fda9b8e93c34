import { z } from 'zod';
import { KeyedHash, Sha256Hex } from '../vocabulary.js';

/** The evidence of runs of spiking networks in the events of their holds. */

const Slug = z.string().min(1).max(128);
const Count = z.int().nonnegative();

/** The counts of a run; of a batch, the sums over its runs. */
export const SpikingCounts = z.strictObject({
  /** Spiking neurons of the network, once per run. */
  neurons: Count,
  spikes: Count,
  /** Neurons without a spike in all timesteps of a run. */
  quiescentNeurons: Count,
  /** Spikes times the targets of each. */
  synapticEvents: Count,
  /** Multiply-accumulates, including dense parts and decays of membranes. */
  macs: Count,
  /** Accumulates: synaptic events, subtractions of resets, additions of residuals. */
  acs: Count,
  /** Of the same network with ReLU in place of spikes. */
  annMacs: Count,
  annAcs: Count,
});
export type SpikingCounts = z.infer<typeof SpikingCounts>;

/** By which the energy of a run can be computed again. */
const measured = {
  /** Of the file of weights. */
  weightsSha256: Sha256Hex,
  /** Of the rules by which operations are counted. */
  meterVersion: Count,
};

const asked = {
  slug: Slug,
  neuron: z.string().min(1).max(64),
  timesteps: z.int().min(1).max(1_024),
};

export const SpikingHoldEvidence = z.strictObject(asked);
export type SpikingHoldEvidence = z.infer<typeof SpikingHoldEvidence>;

export const SpikingCaptureEvidence = z.strictObject({
  ...asked,
  ...measured,
  routingMode: z.string().min(1).max(64),
  counts: SpikingCounts,
  /** Grams of carbon dioxide equivalent per kilowatt-hour, as the answer stated it. */
  gridGramsPerKwh: Count,
  inputHash: KeyedHash,
});
export type SpikingCaptureEvidence = z.infer<typeof SpikingCaptureEvidence>;

export const SpikingBatchHoldEvidence = z.strictObject({
  ...asked,
  inputs: z.int().positive(),
});
export type SpikingBatchHoldEvidence = z.infer<typeof SpikingBatchHoldEvidence>;

export const SpikingBatchCaptureEvidence = z.strictObject({
  ...asked,
  routingMode: z.string().min(1).max(64),
  inputs: z.int().positive(),
  gridGramsPerKwh: Count,
  outcome: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
  /** Null where the batch did not complete: its last progress in the log has the counts. */
  measured: z
    .strictObject({ ...measured, runs: z.int().nonnegative(), counts: SpikingCounts })
    .nullable(),
});
export type SpikingBatchCaptureEvidence = z.infer<typeof SpikingBatchCaptureEvidence>;
