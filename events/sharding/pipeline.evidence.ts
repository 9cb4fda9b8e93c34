import { z } from 'zod';
import { KeyedHash, Sha256Hex } from '../vocabulary.js';

/** The evidence of an answer of a pipeline in the events of its hold. */

const asked = {
  modelAsked: z.string().min(1),
  transport: z.enum(['websocket', 'wireguard_direct']),
};

export const PipelineHoldEvidence = z.strictObject(asked);
export type PipelineHoldEvidence = z.infer<typeof PipelineHoldEvidence>;

export const PipelineCaptureEvidence = z.strictObject({
  ...asked,
  /** Of the model's file; null where the answer was cut before its end. */
  modelSha256: Sha256Hex.nullable(),
  /** The layers of each stage, such as `0-1`, in order; empty where the answer was cut. */
  layers: z.array(z.string().regex(/^\d+-\d+$/)).readonly(),
  /** How often the answer continued with a standby stage; null where it was cut. */
  failovers: z.int().nonnegative().nullable(),
  promptHash: KeyedHash,
  replyHash: KeyedHash,
});
export type PipelineCaptureEvidence = z.infer<typeof PipelineCaptureEvidence>;
