import {
  type AccountEvent,
  AccountOpened,
  ChargeAdjusted,
  HoldExpired,
  HoldReleased,
  HoldRenewed,
} from '#events/billing/account.events.js';
import { BudgetRemoved, BudgetSet } from '#events/billing/budget.events.js';
import { monthOf } from '#events/billing/statement-month.js';
import { originOf, type PriceLine } from '#events/hold.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { fromDecimal, inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type Capture, type Release, type Renewal, type Shrink } from '#platform/ledger/hold.js';
import { priceOf } from '#platform/ledger/price.js';
import {
  type AccountState,
  evolve,
  heldLines,
  initialState,
  type OpenHold,
} from './account.state.js';
import {
  addSubAccount,
  type AllotmentOrder,
  type AllotmentReceipt,
  demandNotClosed,
  receiveAllotment,
  sendAllotment,
  type SubAccountTerms,
} from './allotment.rules.js';
import { reject } from './billing.rejection.js';
import { bookedFor } from './booking.js';
import { type ChildClosing, closeAccount, closeSubAccount, type Closing } from './closing.rules.js';
import { deposit, type DepositTerms, type ReversalTerms, reverseDeposit } from './deposit.rules.js';
import { type GroupedOrder, holdCaptured, holdPlaced } from './hold-events.js';
import { affordable, isWithin, merged } from './price.js';
import {
  affordableUnder,
  askedBudgets,
  type BudgetChanger,
  demandBudget,
  demandBudgets,
  demandChanger,
  demandPace,
  type ExhaustedBudget,
  exhausted,
  isPaced,
  reachedThresholds,
  withinMinute,
} from './budgets/budget.rules.js';
import { type Budget, budgetIdOf } from './budgets/budget.state.js';
import { closeStatement, type StatementClosing } from './statements/close-statement.js';

type Facts<Event extends { readonly data: object }, Computed extends string> = Omit<
  Event['data'],
  Computed
>;

/** Commands carry all that is decided with; what the decider computes is not theirs to say. */
export type AccountCommand =
  | { readonly type: 'OpenAccount'; readonly data: AccountOpened['data'] }
  | { readonly type: 'DepositFunds'; readonly data: DepositTerms }
  | { readonly type: 'ReverseDeposit'; readonly data: ReversalTerms }
  | { readonly type: 'PlaceHold'; readonly data: GroupedOrder }
  | { readonly type: 'RenewHold'; readonly data: Renewal }
  | { readonly type: 'CaptureHold'; readonly data: Capture }
  | { readonly type: 'ReleaseHold'; readonly data: Release }
  /** Frees a hold if it is open, for a request that does not know whether it is. */
  | { readonly type: 'SettleHold'; readonly data: Release }
  | {
      readonly type: 'ExpireHold';
      readonly data: Pick<HoldExpired['data'], 'accountId' | 'holdId' | 'expiredAt'>;
    }
  | {
      readonly type: 'AdjustCharge';
      readonly data: Facts<ChargeAdjusted, 'availableMicroUsd' | 'adjustmentNumber' | 'bookedIn'>;
    }
  | { readonly type: 'CloseStatement'; readonly data: StatementClosing }
  | {
      readonly type: 'SetBudget';
      readonly data: Facts<BudgetSet, 'owner'>;
      readonly by: BudgetChanger;
    }
  | {
      readonly type: 'RemoveBudget';
      readonly data: BudgetRemoved['data'];
      readonly by: BudgetChanger;
    }
  | { readonly type: 'ReportExhausted'; readonly data: ExhaustedBudget }
  | { readonly type: 'AddSubAccount'; readonly data: SubAccountTerms }
  | { readonly type: 'SendAllotment'; readonly data: AllotmentOrder }
  | { readonly type: 'ReceiveAllotment'; readonly data: AllotmentReceipt }
  | { readonly type: 'CloseAccount'; readonly data: Closing }
  | { readonly type: 'CloseSubAccount'; readonly data: ChildClosing };

/**
 * Says whether waiting helps: what other holds do not use comes back.
 * @param isPriced false before the price is known; the amount is then the least there is
 */
export const demandFunds = (
  amount: MicroUsd,
  available: MicroUsd,
  heldByOthers: MicroUsd,
  isPriced = true,
): void => {
  if (amount <= available) return;
  const balance = {
    limit_source: 'balance',
    available_micro_usd: toDecimal(available),
    held_micro_usd: toDecimal(heldByOthers),
    ...(isPriced && { required_micro_usd: toDecimal(amount) }),
  };
  const cost = isPriced ? `may cost ${inUsd(amount)}` : 'is not free';
  const short = `the balance is ${inUsd(available)}, this request ${cost}`;
  if (amount > available + heldByOthers) {
    const reason = 'insufficient_balance';
    const remedy = isPriced ? 'deposit or lower max_tokens' : 'deposit';
    reject(reason, `${short}; ${remedy}`, { reason, ...balance });
  }
  const held = `other requests hold ${inUsd(heldByOthers)}`;
  const detail = `${short}; ${held}: try again when they have ended`;
  reject('insufficient_balance', detail, {
    reason: 'in_flight',
    ...balance,
    retry_after_seconds: 1,
  });
};

const openHold = (state: AccountState, holdId: string): OpenHold =>
  state.holds.get(holdId) ?? reject('hold_not_open', `hold ${holdId} is not open`);

const demandPurpose = (hold: OpenHold, holdId: string, purpose: string): void => {
  if (hold.purpose === purpose) return;
  reject('purpose_mismatch', `hold ${holdId} is for ${hold.purpose} and not for ${purpose}`);
};

const isSameLine = (one: PriceLine, other: PriceLine): boolean =>
  one.step === other.step &&
  one.meter === other.meter &&
  one.model === other.model &&
  one.quantity === other.quantity &&
  one.unitPriceMicroUsd === other.unitPriceMicroUsd &&
  one.perUnits === other.perUnits;

const areSameLines = (ones: readonly PriceLine[], others: readonly PriceLine[]): boolean =>
  ones.length === others.length &&
  ones.every((one, index) => {
    const other = others[index];
    return other !== undefined && isSameLine(one, other);
  });

/** Whether the order could have led to this hold: the line that it lets be cut may be shorter. */
const isOrderOf = (hold: OpenHold, { shrink, ...order }: GroupedOrder): boolean => {
  const asPlaced = (line: PriceLine, index: number): PriceLine => {
    const isCut = shrink !== null && line.meter === shrink.meter && line.step === shrink.step;
    const quantity = hold.lines[index]?.quantity ?? 0;
    return isCut && quantity < line.quantity ? { ...line, quantity } : line;
  };
  return (
    hold.purpose === order.purpose &&
    hold.placedAt === order.placedAt &&
    hold.rateCardVersion === order.rateCardVersion &&
    areSameLines(order.lines.map(asPlaced), hold.lines)
  );
};

const shrunk = (
  lines: readonly PriceLine[],
  shrink: Shrink,
  asked: readonly Budget[],
  isCounted: boolean,
  { available }: AccountState,
): readonly PriceLine[] => {
  const fitting = isCounted ? withinMinute(asked, lines, shrink) : lines;
  return affordable(fitting, shrink, affordableUnder(asked, available));
};

const placeHold = (order: GroupedOrder, state: AccountState): readonly AccountEvent[] => {
  const open = state.holds.get(order.holdId);
  if (open && isOrderOf(open, order)) return [];
  if (open) reject('hold_conflict', `hold ${order.holdId} was placed by another request`);
  const { shrink, paced = false, placedAt } = order;
  const asked = askedBudgets(state.budgets, order, placedAt);
  const isCounted = paced && isPaced(asked);
  const lines = shrink ? shrunk(order.lines, shrink, asked, isCounted, state) : order.lines;
  const amount = priceOf(lines);
  demandFunds(amount, state.available, state.held);
  demandBudgets(asked, amount);
  if (isCounted) demandPace(asked, lines, placedAt);
  return [holdPlaced(order, lines, amount, state, isCounted)];
};

const renewHold = (renewal: Renewal, state: AccountState): readonly AccountEvent[] => {
  const { holdId, purpose, lines, expiresAt } = renewal;
  const hold = openHold(state, holdId);
  demandPurpose(hold, holdId, purpose);
  if (expiresAt === hold.expiresAt && areSameLines(lines, hold.lastRenewed)) return [];
  if (expiresAt <= hold.expiresAt) {
    reject('hold_conflict', `hold ${holdId} lasts until ${hold.expiresAt} already`);
  }
  const all = merged([...heldLines(hold), ...lines]);
  if (!all.every(({ quantity }) => Number.isSafeInteger(quantity))) {
    reject('amount_too_large', 'the units of one meter in a hold stay below 2^53');
  }
  const added = priceOf(all) - hold.amount;
  demandFunds(added, state.available, state.held - hold.amount);
  demandBudgets(askedBudgets(state.budgets, hold, renewal.renewedAt), added);
  const availableMicroUsd = toDecimal(state.available - added);
  return [HoldRenewed.of({ ...renewal, amountMicroUsd: toDecimal(added), availableMicroUsd })];
};

const captureHold = (capture: Capture, state: AccountState): readonly AccountEvent[] => {
  const hold = openHold(state, capture.holdId);
  demandPurpose(hold, capture.holdId, capture.purpose);
  if (!isWithin(capture.lines, heldLines(hold))) {
    reject('capture_above_hold', 'a charge is made of the lines of its hold, and never above it');
  }
  const amount = priceOf(capture.lines);
  const captured = holdCaptured(capture, hold, amount, state);
  if (hold.takes.length === 0) return [captured];
  const { budgets } = evolve(state, captured);
  const ids = hold.takes.map(({ budget }) => budget);
  return [captured, ...reachedThresholds(capture.accountId, budgets, ids, capture.capturedAt)];
};

const setBudget = (
  { data, by }: AccountCommand & { type: 'SetBudget' },
  state: AccountState,
): readonly AccountEvent[] => {
  demandChanger(state.budgets, data, by);
  const set = { ...data, owner: by.owner };
  if (!demandBudget(state.budgets, set)) return [];
  const event = BudgetSet.of(set);
  const { budgets } = evolve(state, event);
  const ids = [budgetIdOf(set)];
  return [event, ...reachedThresholds(set.accountId, budgets, ids, set.setAt)];
};

const removeBudget = (
  { data: removal, by }: AccountCommand & { type: 'RemoveBudget' },
  { budgets }: AccountState,
): readonly AccountEvent[] => {
  demandChanger(budgets, removal, by);
  if (budgets.has(budgetIdOf(removal))) return [BudgetRemoved.of(removal)];
  return reject('budget_not_found', 'there is no such budget');
};

/** The facts of a hold that ends without a charge. */
const freed = (hold: OpenHold, { available }: AccountState) => ({
  ...originOf(hold),
  purpose: hold.purpose,
  amountMicroUsd: toDecimal(hold.amount),
  availableMicroUsd: toDecimal(available + hold.amount),
});

const releaseHold = (
  release: Release,
  hold: OpenHold,
  state: AccountState,
): readonly AccountEvent[] => [HoldReleased.of({ ...release, ...freed(hold, state) })];

const adjustCharge = (
  data: (AccountCommand & { type: 'AdjustCharge' })['data'],
  state: AccountState,
): readonly AccountEvent[] => {
  const amount = fromDecimal(data.amountMicroUsd);
  const known = state.adjustments.get(data.adjustmentId);
  if (known === amount) return [];
  if (known !== undefined) {
    reject('adjustment_conflict', `${data.adjustmentId} was made with another amount`);
  }
  if (amount === 0n) reject('adjustment_empty', 'an adjustment of zero changes nothing');
  const { month } = data.refersTo;
  if (month > monthOf(data.adjustedAt)) {
    reject('statement_not_found', `the month ${month} has not begun`);
  }
  if (state.adjusted + amount > state.charged) {
    reject('adjustment_above_charges', 'no more is given back than was charged');
  }
  demandFunds(-amount, state.available, state.held);
  const adjusted = ChargeAdjusted.of({
    ...data,
    adjustmentNumber: state.adjustments.size + 1,
    availableMicroUsd: toDecimal(state.available + amount),
    ...bookedFor(data.adjustedAt, state),
  });
  return [adjusted];
};

const decide = (command: AccountCommand, state: AccountState): readonly AccountEvent[] => {
  const { type, data } = command;
  if (type === 'OpenAccount') return state.opened ? [] : [AccountOpened.of(data)];
  if (!state.opened) reject('account_not_found', `there is no account ${data.accountId}`);
  switch (type) {
    case 'DepositFunds':
      return deposit(data, state);
    case 'ReverseDeposit':
      return reverseDeposit(data, state);
    case 'PlaceHold':
      demandNotClosed(data.accountId, state);
      return placeHold(data, state);
    case 'RenewHold':
      return renewHold(data, state);
    case 'CaptureHold':
      return captureHold(data, state);
    case 'ReleaseHold':
      return releaseHold(data, openHold(state, data.holdId), state);
    case 'SettleHold': {
      const hold = state.holds.get(data.holdId);
      return hold ? releaseHold(data, hold, state) : [];
    }
    case 'ExpireHold': {
      const hold = state.holds.get(data.holdId);
      if (!hold) return [];
      if (data.expiredAt < hold.expiresAt) reject('hold_not_due', 'the hold has not expired yet');
      return [HoldExpired.of({ ...data, ...freed(hold, state) })];
    }
    case 'AdjustCharge':
      return adjustCharge(data, state);
    case 'CloseStatement':
      return closeStatement(data, state);
    case 'SetBudget':
      return setBudget(command, state);
    case 'RemoveBudget':
      return removeBudget(command, state);
    case 'ReportExhausted':
      return exhausted(state.budgets, data);
    case 'AddSubAccount':
      return addSubAccount(data, state);
    case 'SendAllotment':
      return sendAllotment(data, state);
    case 'ReceiveAllotment':
      return receiveAllotment(data, state);
    case 'CloseAccount':
      return closeAccount(data, state);
    case 'CloseSubAccount':
      return closeSubAccount(data, state);
  }
};

/** One account: what it was given, what it spent, and what is promised to running work. */
export const accountDecider: Decider<AccountCommand, AccountState, AccountEvent> = {
  initialState,
  decide,
  evolve,
};
