import { z } from 'zod';
import { KeyedHash } from '../vocabulary.js';

/** The evidence of a frame in the events of its hold: `HoldPlaced` and `HoldCaptured`. */

const asked = {
  mode: z.enum(['detect', 'components', 'motion']),
  /** Where the frame is from. */
  source: z.enum(['request', 'session']),
};

export const VisionHoldEvidence = z.strictObject(asked);
export type VisionHoldEvidence = z.infer<typeof VisionHoldEvidence>;

export const VisionCaptureEvidence = z.strictObject({
  ...asked,
  /** `embedded:<name>@<SHA-256 of the weights>` or `classical:<mode>`. */
  engine: z.string().min(1),
  objects: z.int().nonnegative(),
  /** Of the file. */
  frameHash: KeyedHash,
});
export type VisionCaptureEvidence = z.infer<typeof VisionCaptureEvidence>;
