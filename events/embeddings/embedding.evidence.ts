import { z } from 'zod';
import { KeyedHash } from '../vocabulary.js';

/** The evidence of embeddings in the events of their hold: `HoldPlaced` and `HoldCaptured`. */

export const EmbeddingHoldEvidence = z.strictObject({
  modelAsked: z.string().min(1),
  /** Texts and token arrays of the request. */
  inputs: z.int().positive(),
});
export type EmbeddingHoldEvidence = z.infer<typeof EmbeddingHoldEvidence>;

export const EmbeddingCaptureEvidence = z.strictObject({
  /** The model that the caller asked for, that the rig was sent and that the rig says answered. */
  models: z.strictObject({
    asked: z.string().min(1),
    sent: z.string().min(1),
    answered: z.string().min(1).nullable(),
  }),
  attempts: z.int().positive(),
  inputs: z.int().positive(),
  /** Of each vector; null without an answer. */
  dimensions: z.int().positive().nullable(),
  /** Of the inputs as JSON. */
  inputHash: KeyedHash,
  /** Of the vectors as they were delivered; null without an answer. */
  outputHash: KeyedHash.nullable(),
});
export type EmbeddingCaptureEvidence = z.infer<typeof EmbeddingCaptureEvidence>;
