import { type AccountEvent } from '#events/billing/account.events.js';
import { type HoldEnd, type LeftHold } from '#platform/ledger/hold.js';

/** The clocks of a fleet and of its event store agree to within this. */
export const CLOCK_SKEW_MS_MAX = 5 * 60 * 1_000;

/** An event of an account, and when the store recorded it. */
export interface PastEvent {
  readonly event: AccountEvent;
  /** ISO 8601. */
  readonly recordedAt: string;
}

/**
 * The end of a hold that is not open, from the events of its account, newest first: its last event
 * says how it ended. Ended holds are not in the account's state, which would grow with every
 * request. `open` when the hold was placed after it was found closed; undefined when the answer is
 * further back.
 */
export const holdEndIn = (
  { holdId, notBefore }: Pick<LeftHold, 'holdId' | 'notBefore'>,
  newestFirst: readonly PastEvent[],
): HoldEnd | 'open' | undefined => {
  const oldestMs = Date.parse(notBefore) - CLOCK_SKEW_MS_MAX;
  for (const { event, recordedAt } of newestFirst) {
    if (Date.parse(recordedAt) < oldestMs) return 'free';
    const end = endStatedBy(event, holdId);
    if (end) return end;
  }
  return undefined;
};

const endStatedBy = (
  { type, data }: AccountEvent,
  holdId: string,
): HoldEnd | 'open' | undefined => {
  switch (type) {
    case 'AccountOpened':
    case 'FundsDeposited':
    case 'DepositReversed':
    case 'ChargeAdjusted':
    case 'StatementClosed':
    case 'BudgetSet':
    case 'BudgetRemoved':
    case 'BudgetThresholdReached':
    case 'SubAccountAdded':
    case 'SubAccountClosed':
    case 'AccountClosed':
    case 'AllotmentSent':
    case 'AllotmentReceived':
      return undefined;
    case 'HoldPlaced':
    case 'HoldRenewed':
      return data.holdId === holdId ? 'open' : undefined;
    case 'HoldCaptured':
      return data.holdId === holdId ? 'charged' : undefined;
    case 'HoldReleased':
    case 'HoldExpired':
      return data.holdId === holdId ? 'free' : undefined;
  }
};
