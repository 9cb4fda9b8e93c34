import { z } from 'zod';
import { NestedNumbers } from './model-card.js';
import { NEURON_MODELS } from './neurons/neuron.js';

/** Of any run; `/api/v1/snn/infer` takes fewer. */
export const TIMESTEPS_MAX = 1_024;
export const TEXT_LENGTH_MAX = 65_536;

export const SpikingInput = z.strictObject({
  slug: z.string().min(1).max(128),
  inputData: z.union([z.string().min(1).max(TEXT_LENGTH_MAX), NestedNumbers]),
  timesteps: z.int().min(1).max(TIMESTEPS_MAX),
  /** Null runs the neuron that the network was trained with. */
  neuron: z.enum(NEURON_MODELS).nullable(),
  raster: z.boolean(),
  /** Runs of one session continue from the membranes of the run before. */
  session: z.string().min(1).max(128).nullable(),
});
export type SpikingInput = z.infer<typeof SpikingInput>;

/** Inputs of one network in one call: each runs at rest, as it would alone. */
export interface SpikingBatch extends Pick<SpikingInput, 'slug' | 'timesteps' | 'neuron'> {
  readonly inputs: readonly SpikingInput['inputData'][];
}

const Count = z.int().nonnegative();
const Probability = z.number().min(0).max(1);

export const LayerReport = z.strictObject({
  name: z.string(),
  macs: Count,
  acs: Count,
  synapticEvents: Count,
  neurons: Count,
  spikes: Count,
  quiescentNeurons: Count,
});

export const SpikingCounts = z.strictObject({
  neurons: Count,
  spikes: Count,
  synapticEvents: Count,
  macs: Count,
  acs: Count,
  quiescentNeurons: Count,
  /** Spikes per neuron and timestep. */
  firingRate: z.number().min(0).max(1),
  activationSparsityPct: z.number().min(0).max(100),
  /** Exact zeros after ReLU; null for a network without ReLU. */
  denseSparsityPct: z.number().min(0).max(100).nullable(),
  layers: z.array(LayerReport),
  /** The same network with ReLU for spikes, once for an input that does not change. */
  ann: z.strictObject({ macs: Count, acs: Count }),
});
export type SpikingCounts = z.infer<typeof SpikingCounts>;

export const SpikingEnd = z.strictObject({
  slug: z.string(),
  neuron: z.enum(NEURON_MODELS),
  timesteps: Count,
  classification: z.strictObject({
    topClass: z.string(),
    confidence: Probability,
    domain: z.string(),
  }),
  /** The action of a network that acts, and the return that it expects; null of any other. */
  policy: z
    .strictObject({
      actions: z.array(z.strictObject({ action: z.string(), probability: Probability })),
      value: z.number(),
    })
    .nullable(),
  counts: SpikingCounts,
  /** Wall time of the forward pass, measured. */
  latencyMs: z.number().nonnegative(),
  hybrid: z.record(z.string(), z.string()),
  raster: z.string().nullable(),
  completion: z.string(),
  /** Runs of the session before this one that it continues; 0 without a session, or at rest. */
  sessionRuns: Count,
  weightsSha256: z.string(),
  meterVersion: Count,
});
export type SpikingEnd = z.infer<typeof SpikingEnd>;

/** The outcome of one input of a batch; `rejection` says why the network rejected it. */
export type SpikingOutcome = { readonly end: SpikingEnd } | { readonly rejection: string };
