import { z } from 'zod';
import { KeyedHash } from '../vocabulary.js';

/** The evidence of pictures in the events of their hold: `HoldPlaced` and `HoldCaptured`. */

const asked = {
  /** Null where the request names none. */
  modelAsked: z.string().min(1).nullable(),
  /** `embedded:<name>@<SHA-256 of the weights>` or `upstream:<kind>`. */
  engine: z.string().min(1),
  images: z.int().positive(),
  width: z.int().positive(),
  height: z.int().positive(),
  /** Of the sampler, for each picture; null where an upstream decides. */
  steps: z.int().positive().nullable(),
};

export const ImageHoldEvidence = z.strictObject(asked);
export type ImageHoldEvidence = z.infer<typeof ImageHoldEvidence>;

export const ImageCaptureEvidence = z.strictObject({
  ...asked,
  /** Pictures that were made: fewer than asked for where the caller left. */
  made: z.int().positive(),
  /** Of the prompt. */
  promptHash: KeyedHash,
  /** Of the claim of each picture, which has the hash of its pixels. */
  claimHashes: z.array(KeyedHash),
});
export type ImageCaptureEvidence = z.infer<typeof ImageCaptureEvidence>;
