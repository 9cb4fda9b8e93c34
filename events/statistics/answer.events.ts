import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant } from '../vocabulary.js';

/** The answers of a gateway: streams `answers-<process>`, one for each process. */

/** Accounts in one event. */
export const ACCOUNTS_MAX = 256;

export const AnswersSent = defineEvent('AnswersSent', {
  version: 1,
  schema: z.strictObject({
    accounts: z
      .array(
        z.strictObject({
          accountId: AccountId,
          answers: z.int().positive(),
          /** On the wire, with headers and framing. */
          bytes: z.int().nonnegative(),
        }),
      )
      .min(1)
      .max(ACCOUNTS_MAX),
    recordedAt: Instant,
  }),
});
export type AnswersSent = EventOf<typeof AnswersSent>;

export const answerEvents = [AnswersSent] as const;
