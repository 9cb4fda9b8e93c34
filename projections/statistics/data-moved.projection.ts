import { HoldCaptured } from '#events/billing/account.events.js';
import { monthOf } from '#events/billing/statement-month.js';
import { keepingLatest } from '#platform/kernel/latest-value.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface DataMoved {
  /** The rig that answered; null where no rig did all of it. */
  readonly rig: string | null;
  /** Bytes of answers, without headers and framing. */
  readonly bytesOut: number;
  /** Charged answers. */
  readonly answers: number;
  /** Of these, answers whose bytes were not measured. */
  readonly unmeasured: number;
}

/** Keys of a month order by rig. */
export const movedByAccount = (accountId: string, month: string): string =>
  `account/${accountId}/${month}/`;
export const movedByRigs = (month: string): string => `rig/${month}/`;

const keysOfAnswer = keepingLatest((accountId, month: string, rig: string) => [
  movedByAccount(accountId, month) + rig,
  movedByRigs(month) + rig,
]);

/** How much data did the answers to an account have, and the answers of a rig, in each month? */
export const dataMoved: Projection<HoldCaptured, DataMoved> = {
  name: 'data-moved',
  version: 1,
  on: { HoldCaptured },
  keys: ({ data: { accountId, rig, capturedAt } }) =>
    keysOfAnswer(accountId, monthOf(capturedAt), rig ?? ''),
  initial: (key) => {
    const rig = key.slice(key.lastIndexOf('/') + 1);
    return { rig: rig === '' ? null : rig, bytesOut: 0, answers: 0, unmeasured: 0 };
  },
  project: ({ data: { bytesOut } }, document) => ({
    rig: document.rig,
    bytesOut: document.bytesOut + (bytesOut ?? 0),
    answers: document.answers + 1,
    unmeasured: document.unmeasured + (bytesOut === undefined ? 1 : 0),
  }),
};
