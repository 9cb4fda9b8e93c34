import { z } from 'zod';
import { Sha256Hex } from '#events/vocabulary.js';
import { NEURON_MODELS, SPIKING_MODES } from './spiking.modes.js';

const Count = z.int().nonnegative();
const Share = z.number().min(0).max(1);

/** One read-out of a network, with its score on held-out examples. */
const Head = z.looseObject({
  task: z.string().min(1),
  description: z.string(),
  classes: z.array(z.string()).min(1),
  accuracy: Share,
  calibrationError: Share,
  baseline: z.looseObject({ name: z.string().min(1), accuracy: Share }),
  heldOutExamples: Count,
});
export type Head = z.infer<typeof Head>;

/** A native read-out that acts: it has a return and no accuracy, as no action is right alone. */
const ActingHead = z.looseObject({
  task: z.string().min(1),
  description: z.string(),
  /** Its actions. */
  classes: z.array(z.string()).min(1),
  meanReturn: z.number(),
  meanReturnAtRest: z.number(),
  returnMax: z.number(),
  baseline: z.looseObject({ name: z.string().min(1), meanReturn: z.number() }),
  episodes: Count,
});
export type ActingHead = z.infer<typeof ActingHead>;

/**
 * The part of `card.json` that the area keeps; the training script writes it beside the weights.
 * Programs are the largest part of a card, and the area does not need them.
 */
export const ModelCard = z.object({
  slug: z.string().regex(/^[a-z]+\/[a-z0-9-]{1,64}$/),
  displayName: z.string().min(1).max(64),
  routingMode: z.enum(SPIKING_MODES),
  architecture: z.string().min(1),
  /** The first is the one it was trained with. */
  neuronModels: z.array(z.enum(NEURON_MODELS)).min(1),
  parameters: z.int().positive(),
  /** Answers for arrays. */
  native: z.union([Head, ActingHead]),
  /** Answers for texts. */
  text: Head,
  /** The classes of texts. */
  domains: z.array(z.string().min(1)),
  inputShape: z.array(z.int().positive()),
  inputKind: z.enum(['static', 'sequence']),
  exampleInput: z.array(z.json()),
  weightsSha256: Sha256Hex,
  /** No run counts more: a part for each run, and a part for each timestep. */
  bounds: z.looseObject({
    macs: Count,
    macsPerTimestep: Count,
    synapticEvents: Count,
    synapticEventsPerTimestep: Count,
  }),
});
export type ModelCard = z.infer<typeof ModelCard>;

export const isActing = (head: Head | ActingHead): head is ActingHead => 'meanReturn' in head;
