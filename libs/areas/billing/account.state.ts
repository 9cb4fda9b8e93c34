import { Map as ImmutableMap, OrderedMap } from 'immutable';
import {
  type AccountEvent,
  type AccountOpened,
  type DepositReversed,
  type HoldCaptured,
  type HoldPlaced,
  type HoldRenewed,
} from '#events/billing/account.events.js';
import {
  type AllotmentReceived,
  type AllotmentSent,
  type SubAccountClosed,
} from '#events/billing/allotment.events.js';
import { type Movement, statementMonthOf } from '#events/billing/statement-month.js';
import {
  addOrigin,
  type HoldOrigin,
  type PriceLine,
  type ProductGroup,
} from '#events/hold.vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { merged } from './price.js';
import {
  type Budgets,
  giveBack,
  NO_BUDGETS,
  NO_TAKES,
  removeBudget,
  reportThreshold,
  setBudget,
  type Spender,
  take,
  type Take,
  type Taking,
  tokensOf,
  withoutTakesOf,
} from './budgets/budget.state.js';

/** The facts of a hold that the decider needs until its terminal event. */
export interface OpenHold extends Readonly<HoldOrigin> {
  readonly purpose: string;
  readonly group: ProductGroup;
  readonly rateCardVersion: number;
  /** The price of all its lines. */
  readonly amount: MicroUsd;
  /** As it was placed. */
  readonly lines: readonly PriceLine[];
  /** The lines that renewals added, one for each price and step. */
  readonly renewed: readonly PriceLine[];
  /** The lines that the last renewal added. */
  readonly lastRenewed: readonly PriceLine[];
  readonly expiresAt: string;
  /** The amounts that it has taken from budgets; empty where there are none. */
  readonly takes: readonly Take[];
}

/** The part of a deposit that went back. */
export type Reversed = Readonly<Record<DepositReversed['data']['kind'], MicroUsd>>;

export const NOTHING_REVERSED: Reversed = { refund: 0n, chargeback: 0n };

/** The movements in a month whose statement is not closed. */
export interface MonthSums {
  readonly deposited: MicroUsd;
  readonly charged: MicroUsd;
  readonly adjusted: MicroUsd;
}

/** The account above, or a sub-account that may be closed, with the totals that moved. */
export interface Relative {
  readonly relation: 'parent' | 'child' | 'closed';
  readonly sent: MicroUsd;
  readonly received: MicroUsd;
}

export interface AccountState {
  readonly opened: boolean;
  /** A closed account places no hold and has no sub-account that is open. */
  readonly closed: boolean;
  /** Levels above it in its tree. */
  readonly depth: number;
  readonly relatives: ImmutableMap<string, Relative>;
  /** The terms of the latest allotments that were sent, oldest first. */
  readonly allotments: OrderedMap<string, string>;
  readonly allotmentCount: number;
  /** Deposits less charges less open holds plus adjustments. */
  readonly available: MicroUsd;
  /** With received allotments, less the sent ones. */
  readonly deposited: MicroUsd;
  readonly charged: MicroUsd;
  readonly held: MicroUsd;
  readonly holds: ImmutableMap<string, OpenHold>;
  /** The latest deposits, oldest first; the log has the others. */
  readonly deposits: OrderedMap<string, MicroUsd>;
  readonly depositCount: number;
  /** The deposits that went back, whole or in part: a few of them. */
  readonly reversals: ImmutableMap<string, Reversed>;
  readonly reversalCount: number;
  /** Given back less charged in addition. */
  readonly adjusted: MicroUsd;
  readonly adjustments: ImmutableMap<string, MicroUsd>;
  /** Months with movements whose statements are not closed: usually one. */
  readonly months: ImmutableMap<string, MonthSums>;
  /** The last month whose statement is closed. */
  readonly closedThrough: string | null;
  /** The balance at the end of that month. */
  readonly carried: MicroUsd;
  readonly budgets: Budgets;
}

export const initialState: AccountState = {
  opened: false,
  closed: false,
  depth: 0,
  relatives: ImmutableMap(),
  allotments: OrderedMap(),
  allotmentCount: 0,
  available: 0n,
  deposited: 0n,
  charged: 0n,
  held: 0n,
  holds: ImmutableMap(),
  deposits: OrderedMap(),
  depositCount: 0,
  reversals: ImmutableMap(),
  reversalCount: 0,
  adjusted: 0n,
  adjustments: ImmutableMap(),
  months: ImmutableMap(),
  closedThrough: null,
  carried: 0n,
  budgets: NO_BUDGETS,
};

/** Deposits whose ids the state keeps, so that it does not grow with the age of an account. */
export const DEPOSITS_KEPT = 1_000;
/** Likewise of sent allotments. A request is repeated within a day. */
const ALLOTMENTS_KEPT = 1_000;

const latest = <Value>(
  byId: OrderedMap<string, Value>,
  kept: number,
): OrderedMap<string, Value> => {
  const [oldest] = byId.keys();
  return byId.size > kept && oldest !== undefined ? byId.delete(oldest) : byId;
};

/** How many of the first deposits are in the log only. */
export const forgottenDeposits = ({ deposits, depositCount }: AccountState): number =>
  depositCount - deposits.size;

/** Everything that a charge may be made of. */
export const heldLines = ({ lines, renewed }: OpenHold): readonly PriceLine[] =>
  renewed.length === 0 ? lines : [...lines, ...renewed];

/** Nothing to do for an account without budgets, and for most there are none. */
const taking = (
  { budgets }: AccountState,
  spender: Spender,
  takes: readonly Take[],
  taken: Taking,
): Pick<AccountState, 'budgets'> & Pick<OpenHold, 'takes'> =>
  budgets.isEmpty() ? { budgets, takes } : take(budgets, spender, takes, taken);

const beginHold = (state: AccountState, data: HoldPlaced['data']): AccountState => {
  const amount = fromDecimal(data.amountMicroUsd);
  const { holdId, purpose, group, rateCardVersion, placedAt, lines, expiresAt } = data;
  const tokens = data.paced ? tokensOf(lines) : null;
  const { budgets, takes } = taking(state, data, NO_TAKES, { amount, at: placedAt, tokens });
  const hold: OpenHold = {
    placedAt,
    purpose,
    group,
    rateCardVersion,
    amount,
    lines,
    renewed: NO_LINES,
    lastRenewed: NO_LINES,
    expiresAt,
    takes,
  };
  return {
    ...state,
    available: state.available - amount,
    held: state.held + amount,
    holds: state.holds.set(holdId, addOrigin(hold, data)),
    budgets,
  };
};

const NO_LINES: readonly PriceLine[] = [];

const endHold = (state: AccountState, holdId: string, captured?: HoldCaptured): AccountState => {
  const hold = state.holds.get(holdId);
  if (!hold) return state;
  const charged = captured ? fromDecimal(captured.data.amountMicroUsd) : 0n;
  const lines = captured?.data.lines ?? NO_LINES;
  const { takes } = hold;
  const budgets =
    takes.length === 0
      ? state.budgets
      : giveBack(state.budgets, takes, hold.amount - charged, tokensOf(lines));
  return {
    ...state,
    budgets,
    available: state.available + hold.amount - charged,
    charged: state.charged + charged,
    held: state.held - hold.amount,
    holds: state.holds.delete(holdId),
    months: captured ? inMonth(state, captured, 'charged', charged) : state.months,
  };
};

const NOTHING_MOVED: MonthSums = { deposited: 0n, charged: 0n, adjusted: 0n };

const inMonth = (
  { months }: AccountState,
  movement: Movement,
  field: keyof MonthSums,
  amount: MicroUsd,
): AccountState['months'] => {
  const month = statementMonthOf(movement);
  const sums = months.get(month, NOTHING_MOVED);
  return months.set(month, { ...sums, [field]: sums[field] + amount });
};

const renewHold = (state: AccountState, renewal: HoldRenewed['data']): AccountState => {
  const hold = state.holds.get(renewal.holdId);
  if (!hold) return state;
  const { lines: lastRenewed, expiresAt, renewedAt: at } = renewal;
  const added = fromDecimal(renewal.amountMicroUsd);
  const renewed = merged([...hold.renewed, ...lastRenewed]);
  const amount = hold.amount + added;
  const taken = { amount: added, at, tokens: null };
  const { budgets, takes } = taking(state, hold, hold.takes, taken);
  const longer = { ...hold, amount, renewed, lastRenewed, expiresAt, takes };
  return {
    ...state,
    available: state.available - added,
    held: state.held + added,
    holds: state.holds.set(renewal.holdId, longer),
    budgets,
  };
};

const takeBack = (state: AccountState, event: DepositReversed): AccountState => {
  const { depositId, kind, amountMicroUsd } = event.data;
  const amount = fromDecimal(amountMicroUsd);
  const before = state.reversals.get(depositId, NOTHING_REVERSED);
  return {
    ...state,
    available: state.available - amount,
    deposited: state.deposited - amount,
    reversals: state.reversals.set(depositId, { ...before, [kind]: before[kind] + amount }),
    reversalCount: state.reversalCount + 1,
    months: inMonth(state, event, 'deposited', -amount),
  };
};

const UNRELATED: Relative = { relation: 'child', sent: 0n, received: 0n };

/** An allotment with the same id and other terms is another one. */
export const allotmentTerms = ({
  toId,
  amountMicroUsd,
}: Pick<AllotmentSent['data'], 'toId' | 'amountMicroUsd'>): string => `${toId} ${amountMicroUsd}`;

const allot = (state: AccountState, event: AllotmentSent | AllotmentReceived): AccountState => {
  const { type, data } = event;
  const isSent = type === 'AllotmentSent';
  const otherId = isSent ? data.toId : data.fromId;
  const total = fromDecimal(data.totalMicroUsd);
  const amount = fromDecimal(data.amountMicroUsd);
  const moved = isSent ? -amount : amount;
  const before = state.relatives.get(otherId, UNRELATED);
  const after = { ...before, [isSent ? 'sent' : 'received']: total };
  const allotments = isSent
    ? latest(state.allotments.set(data.allotmentId, allotmentTerms(data)), ALLOTMENTS_KEPT)
    : state.allotments;
  return {
    ...state,
    available: state.available + moved,
    deposited: state.deposited + moved,
    relatives: state.relatives.set(otherId, after),
    allotments,
    allotmentCount: state.allotmentCount + 1,
    months: inMonth(state, event, 'deposited', moved),
  };
};

const closeChild = (state: AccountState, { childId }: SubAccountClosed['data']): AccountState => {
  const before = state.relatives.get(childId, UNRELATED);
  const after = { ...before, relation: 'closed' } as const;
  return { ...state, relatives: state.relatives.set(childId, after) };
};

const openAccount = (state: AccountState, { tree }: AccountOpened['data']): AccountState => {
  if (!tree) return { ...state, opened: true };
  const above: Relative = { ...UNRELATED, relation: 'parent' };
  const relatives = state.relatives.set(tree.parentId, above);
  return { ...state, opened: true, depth: tree.depth, relatives };
};

export const evolve = (state: AccountState, event: AccountEvent): AccountState => {
  const { type, data } = event;
  switch (type) {
    case 'AccountOpened':
      return openAccount(state, data);
    case 'SubAccountAdded':
      return { ...state, relatives: state.relatives.set(data.childId, UNRELATED) };
    case 'AccountClosed':
      return { ...state, closed: true };
    case 'SubAccountClosed':
      return closeChild(state, data);
    case 'AllotmentSent':
    case 'AllotmentReceived':
      return allot(state, event);
    case 'FundsDeposited': {
      const amount = fromDecimal(data.amountMicroUsd);
      return {
        ...state,
        available: state.available + amount,
        deposited: state.deposited + amount,
        deposits: latest(state.deposits.set(data.depositId, amount), DEPOSITS_KEPT),
        depositCount: state.depositCount + 1,
        months: inMonth(state, event, 'deposited', amount),
      };
    }
    case 'DepositReversed':
      return takeBack(state, event);
    case 'HoldPlaced':
      return beginHold(state, data);
    case 'HoldRenewed':
      return renewHold(state, data);
    case 'HoldCaptured':
      return endHold(state, data.holdId, event);
    case 'HoldReleased':
    case 'HoldExpired':
      return endHold(state, data.holdId);
    case 'ChargeAdjusted': {
      const amount = fromDecimal(data.amountMicroUsd);
      return {
        ...state,
        available: state.available + amount,
        adjusted: state.adjusted + amount,
        adjustments: state.adjustments.set(data.adjustmentId, amount),
        months: inMonth(state, event, 'adjusted', amount),
      };
    }
    case 'StatementClosed':
      return {
        ...state,
        months: state.months.delete(data.month),
        closedThrough: data.month,
        carried: fromDecimal(data.closingMicroUsd),
      };
    case 'BudgetSet':
      return { ...state, budgets: setBudget(state.budgets, data) };
    case 'BudgetRemoved':
      return {
        ...state,
        budgets: removeBudget(state.budgets, data),
        holds: state.holds.map((hold) => ({ ...hold, takes: withoutTakesOf(hold.takes, data) })),
      };
    case 'BudgetThresholdReached':
      return { ...state, budgets: reportThreshold(state.budgets, data) };
  }
};
