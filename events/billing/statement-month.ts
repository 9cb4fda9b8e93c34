import {
  type ChargeAdjusted,
  type DepositReversed,
  type FundsDeposited,
  type HoldCaptured,
} from './account.events.js';
import { type AllotmentReceived, type AllotmentSent } from './allotment.events.js';

/** An event that moves money between the account and the operator or another account. */
export type Movement =
  | FundsDeposited
  | DepositReversed
  | HoldCaptured
  | ChargeAdjusted
  | AllotmentSent
  | AllotmentReceived;

/** When it took place, by the clock of the process that decided it. */
export const instantOf = ({ type, data }: Movement): string => {
  switch (type) {
    case 'FundsDeposited':
      return data.depositedAt;
    case 'DepositReversed':
      return data.reversedAt;
    case 'HoldCaptured':
      return data.capturedAt;
    case 'ChargeAdjusted':
      return data.adjustedAt;
    case 'AllotmentSent':
      return data.sentAt;
    case 'AllotmentReceived':
      return data.receivedAt;
  }
};

/** `YYYY-MM`, in UTC. */
export const monthOf = (instant: string): string => instant.slice(0, 'YYYY-MM'.length);

/** `YYYY-MM-DD`, in UTC. */
export const dayOf = (instant: string): string => instant.slice(0, 'YYYY-MM-DD'.length);

/** The month whose statement has the movement. */
export const statementMonthOf = (movement: Movement): string =>
  movement.data.bookedIn ?? monthOf(instantOf(movement));

/** The first instant of a month. */
export const startOfMonth = (month: string): string => `${month}-01T00:00:00.000Z`;

/** `2026-12` is followed by `2027-01`. */
export const monthAfter = (month: string): string => {
  const [year = 0, ordinal = 0] = month.split('-').map(Number);
  const next = ordinal === 12 ? [year + 1, 1] : [year, ordinal + 1];
  return next.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-');
};
