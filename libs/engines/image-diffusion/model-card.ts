import { z } from 'zod';

const Shares = z.record(z.string(), z.number().min(0).max(1));

/** The description of the model, stored beside its weights. */
export const ImageModelCard = z.strictObject({
  name: z.string().min(1),
  kind: z.literal('diffusion'),
  /** Pixels of a side. */
  side: z.int().positive(),
  attributes: z.record(z.string(), z.array(z.string())),
  parameters: z.int().positive(),
  weightsBytes: z.int().positive(),
  weightsSha256: z.string().regex(/^[0-9a-f]{64}$/),
  seed: z.int().nonnegative(),
  steps: z.int().positive(),
  rows: z.int().positive(),
  torch: z.string(),
  trainingSeconds: z.number().nonnegative(),
  trainingLoss: z.number().nonnegative(),
  heldOutLoss: z.number().nonnegative(),
  /** By a separate classifier, on combinations that the training never saw. */
  recognised: z.strictObject({
    pictures: z.int().positive(),
    steps: z.int().positive(),
    guidance: z.number().positive(),
    /** The share of pictures in which the classifier reads the value that was asked for. */
    drawn: Shares,
    /** The same pictures beside the scenes of other pictures. */
    shuffled: Shares,
    /** The share that it reads in drawings of the generator: as much as could be expected. */
    generator: Shares,
  }),
});
export type ImageModelCard = z.infer<typeof ImageModelCard>;
