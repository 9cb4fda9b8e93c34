import {
  type AccountEvent,
  DepositReversed,
  FundsDeposited,
} from '#events/billing/account.events.js';
import { fromDecimal, inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type AccountState, forgottenDeposits, NOTHING_REVERSED } from './account.state.js';
import { reject } from './billing.rejection.js';
import { bookedFor } from './booking.js';

/** A search of the log for the id of a deposit. */
export interface SearchedDeposits {
  /** The number of the last deposit that was looked at; the first has 1. */
  readonly through: number;
  /** The amount under the id; null where it was not found. */
  readonly amountMicroUsd: string | null;
}

/** The values that the decider computes are not part of the command. */
export type DepositTerms = Omit<
  FundsDeposited['data'],
  'availableMicroUsd' | 'depositNumber' | 'bookedIn'
> & {
  /** Needed for an account with more deposits than its state keeps. */
  readonly searched?: SearchedDeposits;
};

/** The part of a deposit that went back; what the decider computes is not part of it. */
export type ReversalTerms = Omit<
  DepositReversed['data'],
  'amountMicroUsd' | 'availableMicroUsd' | 'reversalNumber' | 'bookedIn'
> &
  Pick<DepositTerms, 'searched'>;

/** The limit of the decimals of events: a trillion dollars less a micro-dollar. */
export const DEPOSITED_MAX: MicroUsd = 10n ** 18n - 1n;

/** @throws DomainError where the log has to be searched */
const depositUnder = (
  { depositId, searched }: Pick<DepositTerms, 'depositId' | 'searched'>,
  state: AccountState,
): MicroUsd | undefined => {
  const kept = state.deposits.get(depositId);
  if (kept !== undefined) return kept;
  if (searched && searched.amountMicroUsd !== null) return fromDecimal(searched.amountMicroUsd);
  if ((searched?.through ?? 0) >= forgottenDeposits(state)) return undefined;
  return reject('deposits_not_searched', 'the log has to be searched for the id of the deposit');
};

export const deposit = (data: DepositTerms, state: AccountState): readonly AccountEvent[] => {
  const amount = fromDecimal(data.amountMicroUsd);
  if (amount <= 0n) reject('amount_not_positive', 'a deposit must be above zero');
  const { searched: _searched, ...facts } = data;
  const known = depositUnder(data, state);
  if (known === amount) return [];
  if (known !== undefined) {
    reject('deposit_conflict', `deposit ${data.depositId} was made with another amount`);
  }
  if (state.deposited + amount > DEPOSITED_MAX) {
    reject('amount_too_large', 'the deposits of an account stay below a trillion dollars');
  }
  const availableMicroUsd = toDecimal(state.available + amount);
  const depositNumber = state.depositCount + 1;
  const booked = bookedFor(data.depositedAt, state);
  return [FundsDeposited.of({ ...facts, depositNumber, availableMicroUsd, ...booked })];
};

/**
 * States the total that went back, so that notices of a payment processor may come twice and in any
 * order: a total that is not above the last one changes nothing.
 */
export const reverseDeposit = (
  data: ReversalTerms,
  state: AccountState,
): readonly AccountEvent[] => {
  const { searched: _searched, ...facts } = data;
  const { depositId, kind } = data;
  const deposited =
    depositUnder(data, state) ?? reject('deposit_not_found', `there is no deposit ${depositId}`);
  const before = state.reversals.get(depositId, NOTHING_REVERSED);
  const amount = fromDecimal(data.totalMicroUsd) - before[kind];
  if (amount <= 0n) return [];
  if (before.refund + before.chargeback + amount > deposited) {
    reject('reversal_above_deposit', `deposit ${depositId} was ${inUsd(deposited)}`);
  }
  const amountMicroUsd = toDecimal(amount);
  const availableMicroUsd = toDecimal(state.available - amount);
  const reversalNumber = state.reversalCount + 1;
  const booked = bookedFor(data.reversedAt, state);
  return [
    DepositReversed.of({ ...facts, amountMicroUsd, reversalNumber, availableMicroUsd, ...booked }),
  ];
};
