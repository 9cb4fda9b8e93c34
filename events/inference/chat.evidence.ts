import { z } from 'zod';
import { ServiceTier } from '../token-price.vocabulary.js';
import { UsageDoubt } from '../token-usage.vocabulary.js';
import { KeyedHash } from '../vocabulary.js';

/** The evidence of a chat in the events of its hold: `HoldPlaced` and `HoldCaptured`. */

export const ChatHoldEvidence = z.strictObject({
  modelAsked: z.string().min(1),
  /** The adapter that the caller put on the weights, by the name it was given. */
  adapter: z.string().min(1).exactOptional(),
});
export type ChatHoldEvidence = z.infer<typeof ChatHoldEvidence>;

export const ChatCaptureEvidence = z.strictObject({
  /** The model that the caller asked for, that the rig was sent and that the rig says answered. */
  models: z.strictObject({
    asked: z.string().min(1),
    sent: z.string().min(1).nullable(),
    answered: z.string().min(1).nullable(),
  }),
  attempts: z.int().positive(),
  promptHash: KeyedHash,
  replyHash: KeyedHash.nullable(),
  usageDoubts: z.array(UsageDoubt).min(1).exactOptional(),
  /** Where the caller asked for one that has prices. */
  serviceTier: z
    .strictObject({ asked: ServiceTier, answered: ServiceTier.nullable() })
    .exactOptional(),
  /** Calls of tools that the rig made by itself, as it states them. */
  toolCalls: z.int().nonnegative().exactOptional(),
});
export type ChatCaptureEvidence = z.infer<typeof ChatCaptureEvidence>;
