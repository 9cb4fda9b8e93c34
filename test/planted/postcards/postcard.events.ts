import { z } from 'zod';
import { defineEvent, type EventOf } from '#events/definition.js';
import { AccountId, Instant } from '#events/vocabulary.js';

export const PostcardId = z.uuid();

export const PostcardWritten = defineEvent('PostcardWritten', {
  version: 1,
  schema: z.strictObject({
    postcardId: PostcardId,
    accountId: AccountId,
    greeting: z.string().min(1),
    writtenAt: Instant,
  }),
});
export type PostcardWritten = EventOf<typeof PostcardWritten>;

export const PostcardDelivered = defineEvent('PostcardDelivered', {
  version: 1,
  schema: z.strictObject({
    postcardId: PostcardId,
    accountId: AccountId,
    /** As the engine counted them. */
    words: z.int().positive(),
    deliveredAt: Instant,
  }),
});
export type PostcardDelivered = EventOf<typeof PostcardDelivered>;

export const PostcardAnswered = defineEvent('PostcardAnswered', {
  version: 1,
  schema: z.strictObject({
    postcardId: PostcardId,
    reply: z.string().min(1),
    answeredAt: Instant,
  }),
});
export type PostcardAnswered = EventOf<typeof PostcardAnswered>;

export type PostcardEvent = PostcardWritten | PostcardDelivered | PostcardAnswered;

export const postcardEvents = [PostcardWritten, PostcardDelivered, PostcardAnswered] as const;
