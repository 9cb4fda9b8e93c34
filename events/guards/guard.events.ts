import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AskedModel, HoldId } from '../hold.vocabulary.js';
import { AccountId, Instant } from '../vocabulary.js';

/**
 * What the rules of the operator found in chats: streams `guards-<process>`, one for each process
 * that answers chats. No text is in them.
 */

/** The name of a rule, as the operator writes it. */
export const GuardRuleId = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/);

/** Requests and answers in one event. */
export const GUARDED_TEXTS_MAX = 256;
/** Rules of an installation. */
export const GUARD_RULES_MAX = 32;

export const GuardHit = z.strictObject({
  rule: GuardRuleId,
  does: z.enum(['block', 'redact', 'flag']),
  matches: z.int().nonnegative(),
  /** The rule could not read the texts. */
  hasFailed: z.boolean(),
});
export type GuardHit = z.infer<typeof GuardHit>;

/** The texts of one request or of one answer, in which a rule has a match. */
export const GuardedTexts = z.strictObject({
  accountId: AccountId,
  /** As the caller named it; null: the text is no name of a model. */
  model: AskedModel.nullable(),
  /** The request, which is its hold; null for lines of batches, jobs and calls of tools. */
  holdId: HoldId.nullable(),
  /** The texts of the caller, or of the answer. */
  on: z.enum(['request', 'answer']),
  hits: z.array(GuardHit).min(1).max(GUARD_RULES_MAX),
  readAt: Instant,
});
export type GuardedTexts = z.infer<typeof GuardedTexts>;

export const GuardHitsRecorded = defineEvent('GuardHitsRecorded', {
  version: 1,
  schema: z.strictObject({
    texts: z.array(GuardedTexts).max(GUARDED_TEXTS_MAX),
    /** Of this process, which could not be kept since its last event. */
    lost: z.int().nonnegative(),
    recordedAt: Instant,
  }),
});
export type GuardHitsRecorded = EventOf<typeof GuardHitsRecorded>;

export const guardEvents = [GuardHitsRecorded] as const;
