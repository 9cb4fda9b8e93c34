import {
  type AccountEvent,
  AccountOpened,
  FundsDeposited,
  HoldCaptured,
  HoldExpired,
  HoldPlaced,
  HoldReleased,
  HoldRenewed,
} from '#events/billing/account.events.js';
import { type PriceLine, type ProductGroup } from '#events/hold.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type Capture, type HoldOrder, type Release, type Renewal } from '#platform/ledger/hold.js';
import {
  type AccountState,
  evolve,
  heldLines,
  initialState,
  type OpenHold,
} from './account.state.js';
import { type BillingErrorCode } from './billing.errors.js';
import { affordable, isWithin, merged, priceOf } from './price.js';

type Facts<Event extends { readonly data: object }, Computed extends string> = Omit<
  Event['data'],
  Computed
>;

/** An order, and the group that its product is in. */
type GroupedOrder = HoldOrder & { readonly group: ProductGroup };

/** Commands carry all that is decided with; what the decider computes is not theirs to say. */
export type AccountCommand =
  | { readonly type: 'OpenAccount'; readonly data: AccountOpened['data'] }
  | {
      readonly type: 'DepositFunds';
      readonly data: Facts<FundsDeposited, 'availableMicroUsd' | 'depositNumber'>;
    }
  | { readonly type: 'PlaceHold'; readonly data: GroupedOrder }
  | { readonly type: 'RenewHold'; readonly data: Renewal }
  | { readonly type: 'CaptureHold'; readonly data: Capture }
  | { readonly type: 'ReleaseHold'; readonly data: Release }
  /** Frees a hold if it is open, for a request that does not know whether it is. */
  | { readonly type: 'SettleHold'; readonly data: Release }
  | {
      readonly type: 'ExpireHold';
      readonly data: Facts<HoldExpired, 'availableMicroUsd' | 'amountMicroUsd'>;
    };

/** What the decimals of events can hold: a trillion dollars less a micro-dollar. */
export const DEPOSITED_MAX: MicroUsd = 10n ** 18n - 1n;

const reject = (
  code: BillingErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<BillingErrorCode>(code, detail, metadata);
};

/** Says whether waiting helps: what other holds do not use comes back. */
const demandFunds = (amount: MicroUsd, available: MicroUsd, heldByOthers: MicroUsd): void => {
  if (amount <= available) return;
  const short = 'the balance does not cover the worst-case price of the request';
  if (amount > available + heldByOthers) {
    reject('insufficient_balance', short, { reason: 'balance_too_low' });
  }
  const detail = `${short} while other requests hold part of it; try again when they have ended`;
  reject('insufficient_balance', detail, { reason: 'held_by_running_requests' });
};

const openHold = (state: AccountState, holdId: string): OpenHold =>
  state.holds.get(holdId) ?? reject('hold_not_open', `hold ${holdId} is not open`);

const demandPurpose = (hold: OpenHold, holdId: string, purpose: string): void => {
  if (hold.purpose === purpose) return;
  reject('purpose_mismatch', `hold ${holdId} is for ${hold.purpose} and not for ${purpose}`);
};

const deposit = (
  data: (AccountCommand & { type: 'DepositFunds' })['data'],
  state: AccountState,
): readonly AccountEvent[] => {
  const amount = fromDecimal(data.amountMicroUsd);
  if (amount <= 0n) reject('amount_not_positive', 'a deposit must be above zero');
  const known = state.deposits.get(data.depositId);
  if (known === amount) return [];
  if (known !== undefined) {
    reject('deposit_conflict', `deposit ${data.depositId} was made with another amount`);
  }
  if (state.deposited + amount > DEPOSITED_MAX) {
    reject('amount_too_large', 'the deposits of an account stay below a trillion dollars');
  }
  const availableMicroUsd = toDecimal(state.available + amount);
  const depositNumber = state.deposits.size + 1;
  return [FundsDeposited.of({ ...data, depositNumber, availableMicroUsd })];
};

const isSameLine = (one: PriceLine, other: PriceLine): boolean =>
  one.step === other.step &&
  one.meter === other.meter &&
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

const placeHold = (order: GroupedOrder, state: AccountState): readonly AccountEvent[] => {
  const open = state.holds.get(order.holdId);
  if (open) {
    return isOrderOf(open, order)
      ? []
      : reject('hold_conflict', `hold ${order.holdId} was placed by another request`);
  }
  const { shrink, ...terms } = order;
  const lines = shrink ? affordable(terms.lines, shrink, state.available) : terms.lines;
  const amount = priceOf(lines);
  demandFunds(amount, state.available, state.held);
  return [
    HoldPlaced.of({
      ...terms,
      lines: [...lines],
      amountMicroUsd: toDecimal(amount),
      availableMicroUsd: toDecimal(state.available - amount),
    }),
  ];
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
  const availableMicroUsd = toDecimal(state.available - added);
  return [HoldRenewed.of({ ...renewal, amountMicroUsd: toDecimal(added), availableMicroUsd })];
};

const captureHold = (capture: Capture, state: AccountState): readonly AccountEvent[] => {
  const hold = openHold(state, capture.holdId);
  demandPurpose(hold, capture.holdId, capture.purpose);
  if (!isWithin(capture.lines, heldLines(hold))) {
    reject('capture_above_hold', 'a charge is made of the lines of its hold, and never above it');
  }
  const { group, rateCardVersion } = hold;
  const amount = priceOf(capture.lines);
  const released = hold.amount - amount;
  return [
    HoldCaptured.of({
      ...capture,
      group,
      rateCardVersion,
      amountMicroUsd: toDecimal(amount),
      releasedMicroUsd: toDecimal(released),
      availableMicroUsd: toDecimal(state.available + released),
    }),
  ];
};

const releaseHold = (
  release: Release,
  { amount }: OpenHold,
  { available }: AccountState,
): readonly AccountEvent[] => [
  HoldReleased.of({
    ...release,
    amountMicroUsd: toDecimal(amount),
    availableMicroUsd: toDecimal(available + amount),
  }),
];

const decide = ({ type, data }: AccountCommand, state: AccountState): readonly AccountEvent[] => {
  if (type === 'OpenAccount') return state.opened ? [] : [AccountOpened.of(data)];
  if (!state.opened) reject('account_not_found', `there is no account ${data.accountId}`);
  switch (type) {
    case 'DepositFunds':
      return deposit(data, state);
    case 'PlaceHold':
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
      const availableMicroUsd = toDecimal(state.available + hold.amount);
      const amountMicroUsd = toDecimal(hold.amount);
      return [HoldExpired.of({ ...data, amountMicroUsd, availableMicroUsd })];
    }
  }
};

/** One account: what it was given, what it spent, and what is promised to running work. */
export const accountDecider: Decider<AccountCommand, AccountState, AccountEvent> = {
  initialState,
  decide,
  evolve,
};
