import { Map as ImmutableMap } from 'immutable';
import { type AccountEvent, type HoldPlaced } from '#events/billing/account.events.js';
import { type PriceLine, type ProductGroup } from '#events/hold.vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { merged } from './price.js';

/** What the decider must know of a hold until its terminal event. */
export interface OpenHold {
  readonly purpose: string;
  readonly group: ProductGroup;
  readonly rateCardVersion: number;
  readonly placedAt: string;
  /** The price of all its lines. */
  readonly amount: MicroUsd;
  /** As it was placed. */
  readonly lines: readonly PriceLine[];
  /** What renewals added, one line for each price and step. */
  readonly renewed: readonly PriceLine[];
  /** What the last renewal added. */
  readonly lastRenewed: readonly PriceLine[];
  readonly expiresAt: string;
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

export const initialState: AccountState = {
  opened: false,
  available: 0n,
  deposited: 0n,
  charged: 0n,
  held: 0n,
  holds: ImmutableMap(),
  deposits: ImmutableMap(),
};

/** Everything that a charge may be made of. */
export const heldLines = ({ lines, renewed }: OpenHold): readonly PriceLine[] =>
  renewed.length === 0 ? lines : [...lines, ...renewed];

const beginHold = (state: AccountState, data: HoldPlaced['data']): AccountState => {
  const amount = fromDecimal(data.amountMicroUsd);
  const { holdId, purpose, group, rateCardVersion, placedAt, lines, expiresAt } = data;
  const terms = { purpose, group, rateCardVersion, placedAt, amount, lines, expiresAt };
  return {
    ...state,
    available: state.available - amount,
    held: state.held + amount,
    holds: state.holds.set(holdId, { ...terms, renewed: [], lastRenewed: [] }),
  };
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

export const evolve = (state: AccountState, { type, data }: AccountEvent): AccountState => {
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
    case 'HoldPlaced':
      return beginHold(state, data);
    case 'HoldRenewed': {
      const hold = state.holds.get(data.holdId);
      if (!hold) return state;
      const { lines: lastRenewed, expiresAt } = data;
      const added = fromDecimal(data.amountMicroUsd);
      const renewed = merged([...hold.renewed, ...lastRenewed]);
      const amount = hold.amount + added;
      return {
        ...state,
        available: state.available - added,
        held: state.held + added,
        holds: state.holds.set(data.holdId, { ...hold, amount, renewed, lastRenewed, expiresAt }),
      };
    }
    case 'HoldCaptured':
      return endHold(state, data.holdId, fromDecimal(data.amountMicroUsd));
    case 'HoldReleased':
    case 'HoldExpired':
      return endHold(state, data.holdId, 0n);
  }
};
