import { z } from 'zod';
import { NEURON_MODELS } from './neurons/neuron.js';

/** Numbers in lists of lists, as deep as the input has axes. */
export type NestedNumbers = readonly (number | NestedNumbers)[];
export const NestedNumbers: z.ZodType<NestedNumbers> = z.lazy(() =>
  z.array(z.union([z.number(), NestedNumbers])),
);

const Share = z.number().min(0).max(1);
const Count = z.int().nonnegative();

const Baseline = z.strictObject({ name: z.string(), accuracy: Share });

const HeadCard = z.strictObject({
  task: z.string(),
  description: z.string(),
  classes: z.array(z.string()).min(2),
  /** Share of held-out examples that are classified correctly. */
  accuracy: Share,
  /** Expected calibration error on held-out examples, after temperature scaling. */
  calibrationError: Share,
  temperature: z.number().positive(),
  baseline: Baseline,
  /** Rules that need no training and know the task. */
  rivals: z.array(Baseline).optional(),
  heldOutExamples: Count,
});

/** A native head that acts: its classes are actions. No action is right or wrong by itself. */
const PolicyCard = z.strictObject({
  task: z.string(),
  description: z.string(),
  classes: z.array(z.string()).min(2),
  /** 1: the confidence of an action is the probability that it was trained with. */
  temperature: z.number().positive(),
  /** Points of an episode in which the likeliest action is taken, the mean over `episodes`. */
  meanReturn: z.number(),
  /** The same where every action is asked for without a session, from neurons at rest. */
  meanReturnAtRest: z.number(),
  meanReturnByNeuron: z.partialRecord(z.enum(NEURON_MODELS), z.number()),
  /** No episode can have more points. */
  returnMax: z.number(),
  baseline: z.strictObject({ name: z.string(), meanReturn: z.number() }),
  episodes: z.int().positive(),
});

/**
 * A head as a list of operations; each gives the tensor of its place in the list, from the tensors
 * that `of` names. `models/spiking/README.md` defines the operations.
 */
const CardProgram = z.strictObject({
  operations: z.array(z.looseObject({ op: z.string() })),
  /** The place of the logits. */
  output: Count,
  /** An input as the first operation takes it, and its logits. */
  example: z.strictObject({ input: z.array(z.number()), logits: z.array(z.number()) }),
});
export type CardProgram = z.infer<typeof CardProgram>;

/** The description of a trained network, stored beside its weights. */
export const SpikingModelCard = z.strictObject({
  name: z.string(),
  slug: z.string(),
  displayName: z.string(),
  routingMode: z.string(),
  architecture: z.string(),
  neuronModels: z.array(z.enum(NEURON_MODELS)).min(1),
  /** Held-out accuracy on the native task with each of the neurons; empty where the head acts. */
  accuracyByNeuron: z.partialRecord(z.enum(NEURON_MODELS), Share),
  /** Numbers in the weights file, untrained ones included. */
  parameters: Count,
  native: z.union([HeadCard, PolicyCard]),
  text: HeadCard,
  domains: z.array(z.string()),
  inputShape: z.array(Count),
  inputKind: z.enum(['static', 'sequence']),
  /** Timesteps of the held-out runs. */
  timesteps: Count,
  rasterLayer: z.string(),
  /** Upper bounds of a run: a part for each run, and a part for each timestep. */
  bounds: z.strictObject({
    macs: Count,
    macsPerTimestep: Count,
    acs: Count,
    acsPerTimestep: Count,
    synapticEvents: Count,
    synapticEventsPerTimestep: Count,
  }),
  /** A held-out input of the native task, as a caller would send it. */
  exampleInput: NestedNumbers,
  /** Both for `timesteps` timesteps, and without an early end. */
  programs: z.strictObject({ native: CardProgram, text: CardProgram }),
  weightsSha256: z.string().regex(/^[0-9a-f]{64}$/),
  seed: Count,
  trainingSeconds: z.number().nonnegative(),
});
export type SpikingModelCard = z.infer<typeof SpikingModelCard>;
export type HeadCard = z.infer<typeof HeadCard>;
export type PolicyCard = z.infer<typeof PolicyCard>;
