import { Map as ImmutableMap } from 'immutable';
import {
  type AccountEvent,
  AccountOpened,
  FundsDeposited,
  HoldCaptured,
  HoldExpired,
  HoldPlaced,
  HoldReleased,
  type PriceLine,
} from '#events/billing/account.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type BillingRefusal } from './billing.refusals.js';
import { affordable, isWithin, priceOf } from './price.js';

type Facts<Event extends { readonly data: object }, Computed extends string> = Omit<
  Event['data'],
  Computed
>;

/** Commands carry all that is decided with; what the decider computes is not theirs to say. */
export type AccountCommand =
  | { readonly type: 'OpenAccount'; readonly data: AccountOpened['data'] }
  | {
      readonly type: 'DepositFunds';
      readonly data: Facts<FundsDeposited, 'availableMicroUsd' | 'depositNumber'>;
    }
  | {
      readonly type: 'PlaceHold';
      readonly data: Facts<HoldPlaced, 'availableMicroUsd' | 'amountMicroUsd'> & {
        /** This line may be cut to what the balance still covers, but not below `atLeast`. */
        readonly shrink: { readonly meter: string; readonly atLeast: number } | null;
      };
    }
  | {
      readonly type: 'CaptureHold';
      readonly data: Facts<
        HoldCaptured,
        'availableMicroUsd' | 'amountMicroUsd' | 'releasedMicroUsd' | 'purpose' | 'rateCardVersion'
      >;
    }
  | {
      readonly type: 'ReleaseHold';
      readonly data: Facts<HoldReleased, 'availableMicroUsd' | 'amountMicroUsd'>;
    }
  | {
      readonly type: 'ExpireHold';
      readonly data: Facts<HoldExpired, 'availableMicroUsd' | 'amountMicroUsd'>;
    };

/** What the decider must know of a hold until its terminal event. */
export interface OpenHold {
  readonly amount: MicroUsd;
  readonly lines: readonly PriceLine[];
  readonly expiresAt: string;
  readonly purpose: HoldPlaced['data']['purpose'];
  readonly rateCardVersion: number;
}

export interface AccountState {
  readonly opened: boolean;
  /** Deposits less charges less open holds. */
  readonly available: MicroUsd;
  readonly deposited: MicroUsd;
  readonly charged: MicroUsd;
  readonly held: MicroUsd;
  readonly holds: ImmutableMap<string, OpenHold>;
  readonly deposits: ImmutableMap<string, MicroUsd>;
}

const initialState: AccountState = {
  opened: false,
  available: 0n,
  deposited: 0n,
  charged: 0n,
  held: 0n,
  holds: ImmutableMap(),
  deposits: ImmutableMap(),
};

/** What the decimals of events can hold: a trillion dollars less a micro-dollar. */
export const DEPOSITED_MAX: MicroUsd = 10n ** 18n - 1n;

const refuse = (
  code: BillingRefusal,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<BillingRefusal>(code, detail, metadata);
};

/** Says whether waiting helps: what running requests hold and do not use comes back. */
const refuseHold = (amount: MicroUsd, { available, held }: AccountState): never => {
  const short = 'the balance does not cover the worst-case price of the request';
  if (amount > available + held) {
    return refuse('insufficient_balance', short, { reason: 'balance_too_low' });
  }
  const detail = `${short} while other requests hold part of it; try again when they have ended`;
  return refuse('insufficient_balance', detail, { reason: 'held_by_running_requests' });
};

const openHold = (state: AccountState, holdId: string): OpenHold =>
  state.holds.get(holdId) ?? refuse('hold_not_open', `hold ${holdId} is not open`);

const deposit = (
  data: (AccountCommand & { type: 'DepositFunds' })['data'],
  state: AccountState,
): readonly AccountEvent[] => {
  const amount = fromDecimal(data.amountMicroUsd);
  if (amount <= 0n) refuse('amount_not_positive', 'a deposit must be above zero');
  const known = state.deposits.get(data.depositId);
  if (known === amount) return [];
  if (known !== undefined) {
    refuse('deposit_conflict', `deposit ${data.depositId} was made with another amount`);
  }
  if (state.deposited + amount > DEPOSITED_MAX) {
    refuse('amount_too_large', 'the deposits of an account stay below a trillion dollars');
  }
  const availableMicroUsd = toDecimal(state.available + amount);
  const depositNumber = state.deposits.size + 1;
  return [FundsDeposited.of({ ...data, depositNumber, availableMicroUsd })];
};

const placeHold = (
  { shrink, ...data }: (AccountCommand & { type: 'PlaceHold' })['data'],
  state: AccountState,
): readonly AccountEvent[] => {
  if (state.holds.has(data.holdId)) return [];
  const lines = shrink ? affordable(data.lines, shrink, state.available) : data.lines;
  const amount = priceOf(lines);
  if (amount > state.available) refuseHold(amount, state);
  return [
    HoldPlaced.of({
      ...data,
      lines: [...lines],
      amountMicroUsd: toDecimal(amount),
      availableMicroUsd: toDecimal(state.available - amount),
    }),
  ];
};

const captureHold = (
  data: (AccountCommand & { type: 'CaptureHold' })['data'],
  state: AccountState,
): readonly AccountEvent[] => {
  const { amount: held, lines, purpose, rateCardVersion } = openHold(state, data.holdId);
  const amount = priceOf(data.lines);
  if (amount > held || !isWithin(data.lines, lines)) {
    refuse('capture_above_hold', 'a charge is made of the lines of its hold, and never above it');
  }
  const released = held - amount;
  return [
    HoldCaptured.of({
      ...data,
      purpose,
      rateCardVersion,
      amountMicroUsd: toDecimal(amount),
      releasedMicroUsd: toDecimal(released),
      availableMicroUsd: toDecimal(state.available + released),
    }),
  ];
};

const decide = ({ type, data }: AccountCommand, state: AccountState): readonly AccountEvent[] => {
  if (type === 'OpenAccount') return state.opened ? [] : [AccountOpened.of(data)];
  if (!state.opened) refuse('account_not_found', `there is no account ${data.accountId}`);
  switch (type) {
    case 'DepositFunds':
      return deposit(data, state);
    case 'PlaceHold':
      return placeHold(data, state);
    case 'CaptureHold':
      return captureHold(data, state);
    case 'ReleaseHold': {
      const { amount } = openHold(state, data.holdId);
      const availableMicroUsd = toDecimal(state.available + amount);
      return [HoldReleased.of({ ...data, amountMicroUsd: toDecimal(amount), availableMicroUsd })];
    }
    case 'ExpireHold': {
      const hold = state.holds.get(data.holdId);
      if (!hold) return [];
      if (data.expiredAt < hold.expiresAt) refuse('hold_not_due', 'the hold has not expired yet');
      const availableMicroUsd = toDecimal(state.available + hold.amount);
      const amountMicroUsd = toDecimal(hold.amount);
      return [HoldExpired.of({ ...data, amountMicroUsd, availableMicroUsd })];
    }
  }
};

const endHold = (state: AccountState, holdId: string, charged: MicroUsd): AccountState => {
  const hold = state.holds.get(holdId);
  if (!hold) return state;
  return {
    ...state,
    available: state.available + hold.amount - charged,
    charged: state.charged + charged,
    held: state.held - hold.amount,
    holds: state.holds.delete(holdId),
  };
};

const evolve = (state: AccountState, { type, data }: AccountEvent): AccountState => {
  switch (type) {
    case 'AccountOpened':
      return { ...state, opened: true };
    case 'FundsDeposited': {
      const amount = fromDecimal(data.amountMicroUsd);
      return {
        ...state,
        available: state.available + amount,
        deposited: state.deposited + amount,
        deposits: state.deposits.set(data.depositId, amount),
      };
    }
    case 'HoldPlaced': {
      const amount = fromDecimal(data.amountMicroUsd);
      const { lines, expiresAt, purpose, rateCardVersion } = data;
      return {
        ...state,
        available: state.available - amount,
        held: state.held + amount,
        holds: state.holds.set(data.holdId, { amount, lines, expiresAt, purpose, rateCardVersion }),
      };
    }
    case 'HoldCaptured':
      return endHold(state, data.holdId, fromDecimal(data.amountMicroUsd));
    case 'HoldReleased':
    case 'HoldExpired':
      return endHold(state, data.holdId, 0n);
  }
};

/** One account: what it was given, what it spent, and what is promised to running work. */
export const accountDecider: Decider<AccountCommand, AccountState, AccountEvent> = {
  initialState,
  decide,
  evolve,
};
