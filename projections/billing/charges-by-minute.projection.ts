import { HoldCaptured } from '#events/billing/account.events.js';
import { keepingLatest } from '#platform/kernel/latest-value.js';
import { plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface ChargesOfMinute {
  /** Decimal micro-dollars. */
  readonly charged: string;
  readonly charges: number;
}

const MINUTE_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length;

const minuteOf = (at: string): string => at.slice(0, MINUTE_CHARACTERS);

/** Keys of one account order by time, so that a window of time is a range of keys. */
export const chargesKey = (accountId: string, at: string): string => `${accountId}/${minuteOf(at)}`;

const keysOfMinute = keepingLatest((accountId, minute: string) => [chargesKey(accountId, minute)]);

/** How fast is an account spending? One document for each minute in which it was charged. */
export const chargesByMinute: Projection<HoldCaptured, ChargesOfMinute> = {
  name: 'charges-by-minute',
  version: 1,
  on: { HoldCaptured },
  keys: ({ data }) => keysOfMinute(data.accountId, minuteOf(data.capturedAt)),
  initial: () => ({ charged: '0', charges: 0 }),
  project: ({ data }, { charged, charges }) => ({
    charged: plus(charged, data.amountMicroUsd),
    charges: charges + 1,
  }),
};
