import { type AccountEvent } from '#events/billing/account.events.js';
import {
  AccountClosed,
  type AllotmentSent,
  SubAccountClosed,
} from '#events/billing/allotment.events.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { type AccountState } from './account.state.js';
import { openChildren, relativeOf, sendAllotment } from './allotment.rules.js';
import { reject } from './billing.rejection.js';

/** The id of the allotment is new: it has the free money of the account. */
export type Closing = Pick<AccountClosed['data'], 'accountId' | 'closedAt'> &
  Pick<AllotmentSent['data'], 'allotmentId'>;

export type ChildClosing = SubAccountClosed['data'];

const demandNothingOpen = (state: AccountState): void => {
  const { holds, held, available } = state;
  const children = openChildren(state);
  if (children > 0) {
    const detail = `${children} teams below the account are open: close them first`;
    reject('sub_accounts_open', detail, { open_sub_accounts: children });
  }
  if (holds.size > 0) {
    reject(
      'holds_open',
      `${holds.size} requests or jobs hold ${inUsd(held)}: wait for their end, or cancel them`,
      { open_holds: holds.size, held_micro_usd: toDecimal(held) },
    );
  }
  if (available < 0n) {
    reject(
      'account_overdrawn',
      `the account is overdrawn by ${inUsd(-available)}: allot as much before it is closed`,
      { available_micro_usd: toDecimal(available) },
    );
  }
};

/**
 * The free money goes to the account above in the same append. Where the account is closed, this
 * sends money that has come since.
 */
export const closeAccount = (
  { allotmentId, ...closing }: Closing,
  state: AccountState,
): readonly AccountEvent[] => {
  const { accountId, closedAt } = closing;
  const parentId = state.relatives.findKey(({ relation }) => relation === 'parent');
  if (parentId === undefined) {
    return reject('not_related', `${accountId} is below no account: only a team is closed`);
  }
  demandNothingOpen(state);
  const { available, closed } = state;
  const order = { accountId, toId: parentId, allotmentId, reason: 'closed', sentAt: closedAt };
  const returned =
    available > 0n ? sendAllotment({ ...order, amountMicroUsd: toDecimal(available) }, state) : [];
  return closed ? returned : [...returned, AccountClosed.of({ ...closing, parentId })];
};

export const closeSubAccount = (
  closing: ChildClosing,
  state: AccountState,
): readonly AccountEvent[] => {
  const { relation } = relativeOf(state, closing.childId);
  return relation === 'child' ? [SubAccountClosed.of(closing)] : [];
};
