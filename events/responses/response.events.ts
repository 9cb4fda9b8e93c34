import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { AccountId, Instant, Sha256Hex, UserId } from '#events/vocabulary.js';

export const ResponseId = z.string().regex(/^resp_[0-9a-f]{32}$/);

const Named = z.strictObject({
  responseId: ResponseId,
  accountId: AccountId,
  /** The content is sealed with the key of this user. */
  userId: UserId,
  /** The address of the content, a keyed hash of it. */
  blob: Sha256Hex,
  createdAt: Instant,
});

/** Input and output are in the blob: an event has neither. */
export const ResponseStored = defineEvent('ResponseStored', {
  version: 1,
  schema: Named.extend({
    /** The response that it continues; null: the first of a conversation. */
    previousResponseId: ResponseId.nullable(),
    /** The responses of the conversation up to this one, itself included. */
    depth: z.int().positive(),
    bytes: z.int().nonnegative(),
    /** The bytes of the conversation up to this one, itself included. */
    conversationBytes: z.int().nonnegative(),
    expiresAt: Instant,
  }),
});
export type ResponseStored = EventOf<typeof ResponseStored>;

export const ResponseDeleted = defineEvent('ResponseDeleted', {
  version: 1,
  schema: Named.extend({
    reason: z.enum(['requested', 'expired']),
    deletedAt: Instant,
  }),
});
export type ResponseDeleted = EventOf<typeof ResponseDeleted>;

/**
 * A response that a job answers in the background. The blob has its input; `ResponseStored` is its
 * end, however the job has ended.
 */
export const ResponseQueued = defineEvent('ResponseQueued', {
  version: 1,
  schema: Named.extend({
    /** As in `ResponseStored`. */
    previousResponseId: ResponseId.nullable(),
    depth: z.int().positive(),
    /** The bytes of the conversation before this response. */
    bytesBefore: z.int().nonnegative(),
  }),
});
export type ResponseQueued = EventOf<typeof ResponseQueued>;

export const ResponseStarted = defineEvent('ResponseStarted', {
  version: 1,
  schema: z.strictObject({
    responseId: ResponseId,
    accountId: AccountId,
    startedAt: Instant,
  }),
});
export type ResponseStarted = EventOf<typeof ResponseStarted>;

export type ResponseEvent = ResponseStored | ResponseDeleted | ResponseQueued | ResponseStarted;

export const responseEvents = [
  ResponseStored,
  ResponseDeleted,
  ResponseQueued,
  ResponseStarted,
] as const;
