import { z } from 'zod';

const Share = z.number().min(0).max(1);
const Count = z.int().positive();

/** The description of the model, stored beside its weights. */
export const VisionCard = z.strictObject({
  name: z.string().min(1),
  kind: z.literal('detector'),
  /** Pixels of a side of the network's input. */
  side: Count,
  shapes: z.array(z.string()),
  colours: z.array(z.string()),
  parameters: Count,
  weightsBytes: Count,
  weightsSha256: z.string().regex(/^[0-9a-f]{64}$/),
  seed: z.int().nonnegative(),
  steps: Count,
  rows: Count,
  torch: z.string(),
  trainingSeconds: z.number().nonnegative(),
  trainingLoss: z.number().nonnegative(),
  /** On frames whose combinations of shape, colour and background the training never saw. */
  heldOut: z.strictObject({
    frames: Count,
    objects: Count,
    /** Mean over the shapes of the average precision at an IoU of 0.5. */
    ap50: Share,
    /** The same, as a mean over the IoUs from 0.5 to 0.95. */
    map: Share,
    ap50OfShape: z.record(z.string(), Share),
    /** Of the objects found at the default confidence, the share whose colour is right. */
    colour: Share,
  }),
  anomaly: z.strictObject({
    /** Pixels of a side of a patch. */
    patch: Count,
    components: Count,
    /** Of the largest error of calibration frames. */
    quantile: Share,
    threshold: z.number().positive(),
    calibrationFrames: Count,
    /** Of held-out frames without an anomaly, the share that was reported. */
    falseAlarms: Share,
    /** Of frames with an anomaly of each kind, the share that was reported. */
    found: z.record(z.string(), Share),
  }),
});
export type VisionCard = z.infer<typeof VisionCard>;
