import { Map as ImmutableMap } from 'immutable';
import {
  DepositIndexAllocated,
  DepositIndexUsed,
  type DepositKeyEvent,
} from '#events/payments/deposit-key.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../payments.errors.js';

/** Indexes without a payment after the last one with a payment. */
export interface GapLimits {
  readonly gapMax: number;
  /** Of one account. */
  readonly gapOfAccountMax: number;
}

export type DepositKeyCommand =
  | {
      readonly type: 'AllocateIndex';
      readonly data: Omit<DepositIndexAllocated['data'], 'index'>;
      readonly limits: GapLimits;
    }
  | { readonly type: 'UseIndex'; readonly data: DepositIndexUsed['data'] };

export interface DepositKeyState {
  /** No invoice has used it. */
  readonly nextIndex: number;
  /** The index of each invoice, so that a repeated request keeps its index. */
  readonly indexOf: ImmutableMap<string, number>;
  /** The accounts of the indexes after the last one with a payment. */
  readonly gap: ImmutableMap<number, string>;
}

type Allocation = (DepositKeyCommand & { readonly type: 'AllocateIndex' })['data'];

const INDEX_MAX = 2_147_483_647;

const allocate = (
  data: Allocation,
  { gapMax, gapOfAccountMax }: GapLimits,
  { nextIndex, indexOf, gap }: DepositKeyState,
): readonly DepositKeyEvent[] => {
  if (indexOf.has(data.invoiceId)) return [];
  if (nextIndex > INDEX_MAX) {
    reject('deposit_indexes_exhausted', 'the key has no further address; configure another one');
  }
  const ofAccount = gap.count((accountId) => accountId === data.accountId);
  if (ofAccount >= gapOfAccountMax) {
    const detail = `${ofAccount} crypto invoices of the account have no payment; pay one of them`;
    reject('too_many_unpaid_crypto_invoices', detail);
  }
  if (gap.size >= gapMax) {
    reject('deposit_gap_reached', `the last ${gap.size} addresses of the wallet have no payment`);
  }
  return [DepositIndexAllocated.of({ ...data, index: nextIndex })];
};

/**
 * The indexes of one key. Every invoice has one of its own, also when it is never paid. A wallet
 * that is restored stops after some addresses without a payment, so their number is bounded.
 */
export const depositKeyDecider: Decider<DepositKeyCommand, DepositKeyState, DepositKeyEvent> = {
  initialState: { nextIndex: 0, indexOf: ImmutableMap(), gap: ImmutableMap() },
  decide: (command, state) => {
    if (command.type === 'AllocateIndex') return allocate(command.data, command.limits, state);
    const { data } = command;
    return state.gap.has(data.index) ? [DepositIndexUsed.of(data)] : [];
  },
  evolve: (state, { type, data }) => {
    switch (type) {
      case 'DepositIndexAllocated': {
        const { index, invoiceId, accountId } = data;
        return {
          ...state,
          nextIndex: Math.max(state.nextIndex, index + 1),
          indexOf: state.indexOf.set(invoiceId, index),
          gap: state.gap.set(index, accountId),
        };
      }
      case 'DepositIndexUsed':
        return { ...state, gap: state.gap.filter((_, index) => index > data.index) };
    }
  },
};
