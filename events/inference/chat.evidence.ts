import { z } from 'zod';
import { AskedModel } from '../hold.vocabulary.js';
import { RigName } from '../catalog/rate-card.events.js';
import { ServiceTier } from '../token-price.vocabulary.js';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { KeyedHash } from '../vocabulary.js';

/** The evidence of a chat in the events of its hold: `HoldPlaced` and `HoldCaptured`. */

export const ChatHoldEvidence = z.strictObject({
  modelAsked: z.string().min(1),
  /** The adapter that the caller put on the weights, by the name it was given. */
  adapter: z.string().min(1).exactOptional(),
});
export type ChatHoldEvidence = z.infer<typeof ChatHoldEvidence>;

/** A rig of the model that did not answer, and the fact that decided. */
export const LostRig = z.strictObject({
  rig: RigName,
  reason: z.enum([
    // It was not considered.
    'excluded',
    'lacks_feature',
    'failed',
    'down',
    'full',
    // Its score was above the winner's, most of all by this part.
    'less_preferred',
    'busier',
    'slower',
    'failing',
    'on_trial',
    'remote',
    'dearer',
    'colder',
    'translated',
    // It lost the draw.
    'equal',
  ]),
  /** Of a rig that was considered; the lowest wins. */
  score: z.number().exactOptional(),
});
export type LostRig = z.infer<typeof LostRig>;

/** A model that did not answer, and why the next one was asked. */
export const PassedModel = z.strictObject({
  model: AskedModel,
  reason: z.enum([
    'context_too_long',
    'price_above_max',
    'not_served',
    'unsupported',
    'down',
    'overloaded',
    'failed',
  ]),
});
export type PassedModel = z.infer<typeof PassedModel>;

export const ChatCaptureEvidence = z.strictObject({
  /** The model that the caller asked for, that the rig was sent and that the rig says answered. */
  models: z.strictObject({
    asked: z.string().min(1),
    sent: z.string().min(1).nullable(),
    answered: z.string().min(1).nullable(),
  }),
  attempts: z.int().positive(),
  /** The catalog's model that answered instead of the one that was asked for. */
  fallback: z
    .strictObject({ model: AskedModel, passed: z.array(PassedModel).min(1).max(16) })
    .exactOptional(),
  /** Of the rig that answered, where there were others. */
  score: z.number().exactOptional(),
  lostRigs: z.array(LostRig).min(1).max(16).exactOptional(),
  promptHash: KeyedHash,
  replyHash: KeyedHash.nullable(),
  usageDoubts: UsageDoubts.exactOptional(),
  /** Where the caller asked for one that has prices. */
  serviceTier: z
    .strictObject({ asked: ServiceTier, answered: ServiceTier.nullable() })
    .exactOptional(),
  /** Calls of tools that the rig made by itself, as it states them. */
  toolCalls: z.int().nonnegative().exactOptional(),
});
export type ChatCaptureEvidence = z.infer<typeof ChatCaptureEvidence>;
