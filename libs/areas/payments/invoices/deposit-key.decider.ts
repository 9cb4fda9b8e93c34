import { Map as ImmutableMap } from 'immutable';
import { DepositIndexAllocated } from '#events/payments/deposit-key.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../payments.errors.js';

export interface AllocateIndex {
  readonly type: 'AllocateIndex';
  readonly data: Omit<DepositIndexAllocated['data'], 'index'>;
}

export interface DepositKeyState {
  /** No invoice has used it. */
  readonly nextIndex: number;
  /** The index of each invoice, so that a repeated request keeps its index. */
  readonly indexOf: ImmutableMap<string, number>;
}

const INDEX_MAX = 2_147_483_647;

/** The indexes of one key. Every invoice has one of its own, also when it is never paid. */
export const depositKeyDecider: Decider<AllocateIndex, DepositKeyState, DepositIndexAllocated> = {
  initialState: { nextIndex: 0, indexOf: ImmutableMap() },
  decide: ({ data }, { nextIndex, indexOf }) => {
    if (indexOf.has(data.invoiceId)) return [];
    if (nextIndex > INDEX_MAX) {
      reject('deposit_indexes_exhausted', 'the key has no further address; configure another one');
    }
    return [DepositIndexAllocated.of({ ...data, index: nextIndex })];
  },
  evolve: ({ nextIndex, indexOf }, { data: { index, invoiceId } }) => ({
    nextIndex: Math.max(nextIndex, index + 1),
    indexOf: indexOf.set(invoiceId, index),
  }),
};
