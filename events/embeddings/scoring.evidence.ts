import { z } from 'zod';
import { KeyedHash } from '../vocabulary.js';

/** The evidence of moderations and rankings in the events of their hold. */

export const ScoringHoldEvidence = z.strictObject({
  modelAsked: z.string().min(1),
  /** Inputs of a moderation, documents of a ranking. */
  items: z.int().positive(),
});
export type ScoringHoldEvidence = z.infer<typeof ScoringHoldEvidence>;

export const ScoringCaptureEvidence = z.strictObject({
  /** The model that the caller asked for, that the rig was sent and that the rig says answered. */
  models: z.strictObject({
    asked: z.string().min(1),
    sent: z.string().min(1),
    answered: z.string().min(1).nullable(),
  }),
  attempts: z.int().positive(),
  items: z.int().positive(),
  /** Of the inputs, or of the query and the documents, as JSON. */
  inputHash: KeyedHash,
  /** Of the results as they were delivered; null without an answer. */
  outputHash: KeyedHash.nullable(),
});
export type ScoringCaptureEvidence = z.infer<typeof ScoringCaptureEvidence>;
