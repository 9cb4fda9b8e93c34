import { type AccountEvent, FundsDeposited } from '#events/billing/account.events.js';
import { fromDecimal, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type AccountState, forgottenDeposits } from './account.state.js';
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

/** The limit of the decimals of events: a trillion dollars less a micro-dollar. */
export const DEPOSITED_MAX: MicroUsd = 10n ** 18n - 1n;

/** The amount of a deposit that the state has forgotten. */
const foundDeposit = (
  searched: SearchedDeposits | undefined,
  state: AccountState,
): MicroUsd | undefined => {
  if (searched && searched.amountMicroUsd !== null) return fromDecimal(searched.amountMicroUsd);
  if ((searched?.through ?? 0) >= forgottenDeposits(state)) return undefined;
  return reject('deposits_not_searched', 'the log has to be searched for the id of the deposit');
};

export const deposit = (data: DepositTerms, state: AccountState): readonly AccountEvent[] => {
  const amount = fromDecimal(data.amountMicroUsd);
  if (amount <= 0n) reject('amount_not_positive', 'a deposit must be above zero');
  const { searched, ...facts } = data;
  const known = state.deposits.get(data.depositId) ?? foundDeposit(searched, state);
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
