import { AnswersSent } from '#events/statistics/answer.events.js';
import { monthOf } from '#events/billing/statement-month.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface SentInMonth {
  readonly answers: number;
  /** On the wire, with headers and framing. */
  readonly bytes: number;
}

/** @param accountId null: all accounts */
export const sentTo = (accountId: string | null, month: string): string =>
  `${accountId ?? 'all'}/${month}`;

/** How many answers has the gateway sent to an account in each month, and how many bytes? */
export const answersSent: Projection<AnswersSent, SentInMonth> = {
  name: 'answers-sent',
  version: 1,
  on: { AnswersSent },
  keys: ({ data: { accounts, recordedAt } }) =>
    [null, ...accounts.map(({ accountId }) => accountId)].map((one) =>
      sentTo(one, monthOf(recordedAt)),
    ),
  initial: () => ({ answers: 0, bytes: 0 }),
  project: ({ data: { accounts, recordedAt } }, document, key) => {
    const month = monthOf(recordedAt);
    const isAll = key === sentTo(null, month);
    const own = accounts.filter(({ accountId }) => isAll || key === sentTo(accountId, month));
    return {
      answers: own.reduce((sum, { answers }) => sum + answers, document.answers),
      bytes: own.reduce((sum, { bytes }) => sum + bytes, document.bytes),
    };
  },
};
