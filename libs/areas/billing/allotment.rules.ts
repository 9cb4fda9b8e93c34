import { type AccountEvent } from '#events/billing/account.events.js';
import {
  AllotmentReceived,
  AllotmentSent,
  SubAccountAdded,
  TREE_DEPTH_MAX,
} from '#events/billing/allotment.events.js';
import { fromDecimal, inUsd, toDecimal } from '#platform/kernel/money.js';
import { type AccountState, allotmentTerms, type Relative } from './account.state.js';
import { reject } from './billing.rejection.js';
import { bookedFor } from './booking.js';
import { DEPOSITED_MAX } from './deposit.rules.js';

/** Open sub-accounts of one account. */
export const CHILDREN_MAX = 100;
/** With closed ones: the account keeps what moved between it and each. */
export const CHILDREN_EVER_MAX = 1_000;

export type SubAccountTerms = Omit<SubAccountAdded['data'], 'depth'>;

type Computed = 'allotmentNumber' | 'totalMicroUsd' | 'availableMicroUsd' | 'bookedIn';

export type AllotmentOrder = Omit<AllotmentSent['data'], Computed>;

/** States the total that was sent, so that it may come twice and in any order. */
export type AllotmentReceipt = Pick<
  AllotmentReceived['data'],
  'accountId' | 'fromId' | 'totalMicroUsd' | 'receivedAt'
>;

export const addSubAccount = (
  { childId, ...terms }: SubAccountTerms,
  state: AccountState,
): readonly AccountEvent[] => {
  const { relatives, depth } = state;
  if (relatives.has(childId)) return [];
  demandNotClosed(terms.accountId, state);
  if (depth >= TREE_DEPTH_MAX) {
    reject('tree_too_deep', `a tree of accounts has at most ${TREE_DEPTH_MAX} levels of teams`);
  }
  if (openChildren(state) >= CHILDREN_MAX) {
    reject('too_many_sub_accounts', `an account has at most ${CHILDREN_MAX} teams below it`);
  }
  if (relatives.count(({ relation }) => relation !== 'parent') >= CHILDREN_EVER_MAX) {
    const detail = `an account has at most ${CHILDREN_EVER_MAX} teams below it, with closed ones`;
    reject('too_many_sub_accounts', detail);
  }
  return [SubAccountAdded.of({ ...terms, childId, depth: depth + 1 })];
};

/** @throws DomainError `account_closed` */
export const demandNotClosed = (accountId: string, { closed }: AccountState): void => {
  if (closed) reject('account_closed', `the account ${accountId} is closed`);
};

export const openChildren = ({ relatives }: AccountState): number =>
  relatives.count(({ relation }) => relation === 'child');

export const relativeOf = ({ relatives }: AccountState, otherId: string): Relative =>
  relatives.get(otherId) ??
  reject('not_related', `${otherId} is neither the account above nor a sub-account`);

export const sendAllotment = (
  data: AllotmentOrder,
  state: AccountState,
): readonly AccountEvent[] => {
  const known = state.allotments.get(data.allotmentId);
  if (known === allotmentTerms(data)) return [];
  if (known !== undefined) {
    reject('allotment_conflict', `allotment ${data.allotmentId} was sent with other terms`);
  }
  const { sent, relation } = relativeOf(state, data.toId);
  if (relation === 'closed') reject('account_closed', `the account ${data.toId} is closed`);
  const amount = fromDecimal(data.amountMicroUsd);
  if (amount <= 0n) reject('amount_not_positive', 'an allotment must be above zero');
  if (sent + amount > DEPOSITED_MAX) {
    reject('amount_too_large', 'the allotments for one account stay below a trillion dollars');
  }
  const { available, held } = state;
  if (amount > available) {
    reject(
      'allotment_above_available',
      `${inUsd(available)} of the account are free, and running requests hold ${inUsd(held)}`,
      { available_micro_usd: toDecimal(available), held_micro_usd: toDecimal(held) },
    );
  }
  return [
    AllotmentSent.of({
      ...data,
      allotmentNumber: state.allotmentCount + 1,
      totalMicroUsd: toDecimal(sent + amount),
      availableMicroUsd: toDecimal(available - amount),
      ...bookedFor(data.sentAt, state),
    }),
  ];
};

export const receiveAllotment = (
  data: AllotmentReceipt,
  state: AccountState,
): readonly AccountEvent[] => {
  const amount = fromDecimal(data.totalMicroUsd) - relativeOf(state, data.fromId).received;
  if (amount <= 0n) return [];
  return [
    AllotmentReceived.of({
      ...data,
      allotmentNumber: state.allotmentCount + 1,
      amountMicroUsd: toDecimal(amount),
      availableMicroUsd: toDecimal(state.available + amount),
      ...bookedFor(data.receivedAt, state),
    }),
  ];
};
