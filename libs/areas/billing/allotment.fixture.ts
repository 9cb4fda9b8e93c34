import { AccountOpened } from '#events/billing/account.events.js';
import {
  AccountClosed,
  AllotmentReceived,
  AllotmentSent,
  SubAccountAdded,
  SubAccountClosed,
} from '#events/billing/allotment.events.js';
import { type AccountCommand } from './account.decider.js';
import { ACCOUNT, OPENED_AT } from './account.fixture.js';

/** A sub-account of the account of the specs, and one below that. */
export const TEAM = 'team-019ac5d2-6a53-7c55-9d0f-0d3a5a3f8f01';
export const PROJECT = 'team-019ac5d2-6a53-7c55-9d0f-0d3a5a3f8f02';
export const ALLOTTED_AT = '2026-11-21T04:50:00.000Z';

export const allotmentIdOf = (n: number): string =>
  `019ac5d3-1b02-7c55-9d0f-${String(n).padStart(12, '0')}`;

export const added = (accountId = ACCOUNT, childId = TEAM, depth = 1): SubAccountAdded =>
  SubAccountAdded.of({ accountId, childId, depth, addedAt: OPENED_AT });

export const openedBelow = (parentId = ACCOUNT, accountId = TEAM, depth = 1): AccountOpened =>
  AccountOpened.of({
    accountId,
    currency: 'USD',
    tree: { parentId, depth },
    openedAt: OPENED_AT,
  });

interface Ends {
  readonly from?: string;
  readonly to?: string;
  readonly number?: number;
}

/** By amount, total and available amount after it. */
type Amounts = readonly [amount: number, total: number, available: number];

export const sent = (
  [amount, total, available]: Amounts,
  { from = ACCOUNT, to = TEAM, number = 1 }: Ends = {},
): AllotmentSent =>
  AllotmentSent.of({
    accountId: from,
    toId: to,
    allotmentId: allotmentIdOf(number),
    allotmentNumber: number,
    amountMicroUsd: String(amount),
    totalMicroUsd: String(total),
    reason: 'fourth quarter',
    sentAt: ALLOTTED_AT,
    availableMicroUsd: String(available),
  });

export const arrived = (
  [amount, total, available]: Amounts,
  { from = ACCOUNT, to = TEAM, number = 1 }: Ends = {},
): AllotmentReceived =>
  AllotmentReceived.of({
    accountId: to,
    fromId: from,
    allotmentNumber: number,
    amountMicroUsd: String(amount),
    totalMicroUsd: String(total),
    receivedAt: ALLOTTED_AT,
    availableMicroUsd: String(available),
  });

type Command<Type> = Extract<AccountCommand, { readonly type: Type }>;

export const send = (
  amount: number,
  { from = ACCOUNT, to = TEAM, number = 1 }: Ends = {},
): Command<'SendAllotment'> => ({
  type: 'SendAllotment',
  data: {
    accountId: from,
    toId: to,
    allotmentId: allotmentIdOf(number),
    amountMicroUsd: String(amount),
    reason: 'fourth quarter',
    sentAt: ALLOTTED_AT,
  },
});

export const receive = (
  total: number,
  { from = ACCOUNT, to = TEAM }: Ends = {},
): Command<'ReceiveAllotment'> => ({
  type: 'ReceiveAllotment',
  data: {
    accountId: to,
    fromId: from,
    totalMicroUsd: String(total),
    receivedAt: ALLOTTED_AT,
  },
});

export const add = (childId = TEAM, accountId = ACCOUNT): Command<'AddSubAccount'> => ({
  type: 'AddSubAccount',
  data: { accountId, childId, addedAt: OPENED_AT },
});

/** Of a team below the account, or of the project below the team. */
const parentOf = (accountId: string): string => (accountId === TEAM ? ACCOUNT : TEAM);

export const accountClosed = (accountId = TEAM): AccountClosed =>
  AccountClosed.of({ accountId, parentId: parentOf(accountId), closedAt: ALLOTTED_AT });

export const childClosed = (childId = TEAM): SubAccountClosed =>
  SubAccountClosed.of({ accountId: parentOf(childId), childId, closedAt: ALLOTTED_AT });

export const closeChild = (childId = TEAM): Command<'CloseSubAccount'> => ({
  type: 'CloseSubAccount',
  data: childClosed(childId).data,
});

export const close = (accountId = TEAM, number = 9): Command<'CloseAccount'> => ({
  type: 'CloseAccount',
  data: { accountId, allotmentId: allotmentIdOf(number), closedAt: ALLOTTED_AT },
});
