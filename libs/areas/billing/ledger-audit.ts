import {
  type AccountEvent,
  type ChargeAdjusted,
  type HoldCaptured,
  type HoldPlaced,
  type HoldRenewed,
  type StatementClosed,
} from '#events/billing/account.events.js';
import { type AllotmentReceived, type AllotmentSent } from '#events/billing/allotment.events.js';
import { type BudgetEvent } from '#events/billing/budget.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { priceOf } from '#platform/ledger/price.js';
import { AuditedTree } from './audited-tree.js';
import { isWithin, merged } from './price.js';

/** A law of the ledger that an event breaks. */
export interface LedgerFault {
  readonly accountId: string;
  readonly position: string;
  readonly law: string;
}

/** A hold with the lines of its renewals. */
export interface AuditedHold {
  readonly amount: MicroUsd;
  /** One line for each price and step. */
  readonly lines: readonly PriceLine[];
  readonly expiresAt: string;
  /** As it was placed. */
  readonly placed: HoldPlaced['data'];
}

export interface AuditedAccount {
  opened: boolean;
  /** It was closed, and places no hold. */
  ended: boolean;
  deposited: MicroUsd;
  charged: MicroUsd;
  held: MicroUsd;
  /** Given back less charged in addition. */
  adjusted: MicroUsd;
  /** By id, less the part that went back. */
  readonly depositsLeft: Map<string, MicroUsd>;
  readonly adjustmentIds: Set<string>;
  /** Deposits less charges plus adjustments, by the month of the statement. */
  readonly months: Map<string, AuditedMonth>;
  /** Charges less adjustments, by the month of the statement, of closed ones too. */
  readonly spent: Map<string, MicroUsd>;
  /** The last month whose statement is closed, and what was left then. */
  closed: { readonly month: string; readonly left: MicroUsd } | null;
  /** Open holds by id. */
  readonly holds: Map<string, AuditedHold>;
  /** The available amount that the last event states. */
  stated: MicroUsd;
}

/** The movements of a month whose statement is not closed. */
export interface AuditedMonth {
  deposited: MicroUsd;
  charged: MicroUsd;
  adjusted: MicroUsd;
}

type Allotment = AllotmentSent | AllotmentReceived;

type Priced = Extract<AccountEvent, { readonly data: { readonly amountMicroUsd: string } }>;
type Moving = Exclude<Priced, Allotment | BudgetEvent>;

/**
 * Recomputes every account from its events alone, by its own fold and not by the decider's, and
 * checks each event against the laws: every amount is the price of its lines, a renewal is of an
 * open hold and extends it, a charge is made of the lines of its hold, a hold ends exactly once and
 * is never exceeded, a deposit is credited once and goes back at most once, an adjustment is made
 * once, an allotment is between an account and its sub-account and arrives once and as it was sent,
 * an account is empty when it is closed, a closed statement is the sum of its month and gets no
 * other movement, and after each event deposits - charges - holds + adjustments = the available
 * amount that the event states.
 */
export class LedgerAudit {
  readonly accounts = new Map<string, AuditedAccount>();
  readonly faults: LedgerFault[] = [];
  events = 0;
  readonly #givenUp = new Set<string>();
  readonly #tree = new AuditedTree();

  /** The money that has left an account and has not arrived in the other one yet. */
  get inTransit(): MicroUsd {
    return this.#tree.inTransit;
  }

  /** An event of the account cannot be read: what follows cannot be judged. */
  giveUp(accountId: string): void {
    this.#givenUp.add(accountId);
  }

  isGivenUp(accountId: string): boolean {
    return this.#givenUp.has(accountId);
  }

  take(event: AccountEvent, position: bigint): void {
    const { accountId } = event.data;
    this.events += 1;
    if (this.#givenUp.has(accountId)) return;
    const account = this.#account(accountId);
    const broken = [
      ...lawsBrokenBy(event, account),
      ...this.#tree.lawsBrokenBy(event, this.#givenUp),
    ];
    for (const law of broken) {
      this.faults.push({ accountId, position: position.toString(), law });
    }
  }

  #account(accountId: string): AuditedAccount {
    const known = this.accounts.get(accountId);
    if (known) return known;
    const account: AuditedAccount = {
      opened: false,
      ended: false,
      deposited: 0n,
      charged: 0n,
      held: 0n,
      adjusted: 0n,
      depositsLeft: new Map(),
      adjustmentIds: new Set(),
      months: new Map(),
      spent: new Map(),
      closed: null,
      holds: new Map(),
      stated: 0n,
    };
    this.accounts.set(accountId, account);
    return account;
  }
}

const lawsBrokenBy = (event: AccountEvent, account: AuditedAccount): readonly string[] => {
  switch (event.type) {
    case 'AccountOpened':
      return open(account);
    case 'AccountClosed':
      return end(account);
    case 'StatementClosed':
      return [...closed(account, event.data), ...stated(account, event.data.availableMicroUsd)];
    case 'BudgetSet':
    case 'BudgetRemoved':
    case 'BudgetThresholdReached':
    case 'SubAccountAdded':
    case 'SubAccountClosed':
      // They move no money.
      return demandOpened(account);
    case 'FundsDeposited':
    case 'DepositReversed':
    case 'HoldPlaced':
    case 'HoldRenewed':
    case 'HoldCaptured':
    case 'HoldReleased':
    case 'HoldExpired':
    case 'ChargeAdjusted':
    case 'AllotmentSent':
    case 'AllotmentReceived':
      return move(account, event);
  }
};

const demandOpened = ({ opened }: AuditedAccount): string[] =>
  opened ? [] : ['an account is opened before anything else'];

const availableOf = ({ deposited, charged, held, adjusted }: AuditedAccount): MicroUsd =>
  deposited - charged - held + adjusted;

const OVERDRAWN = 'nothing but a reversed deposit overdraws an account';

/** @returns the laws that it breaks */
const open = (account: AuditedAccount): readonly string[] => {
  const broken = account.opened ? ['an account is opened once'] : [];
  account.opened = true;
  return broken;
};

/** @returns the laws that it breaks */
const end = (account: AuditedAccount): readonly string[] => {
  const isEmpty = account.holds.size === 0 && availableOf(account) === 0n;
  const broken = demandOpened(account);
  if (!isEmpty || account.ended)
    broken.push('an account is closed once, with no money and no hold');
  account.ended = true;
  return broken;
};

/** @returns the laws that it breaks */
const move = (account: AuditedAccount, event: Moving | Allotment): readonly string[] => {
  const before = availableOf(account);
  const broken = demandOpened(account);
  const moved = isAllotment(event) ? allotted(account, event) : moneyMoved(account, event);
  broken.push(...moved, ...stated(account, event.data.availableMicroUsd));
  const after = availableOf(account);
  const isOverdrawn = after < 0n && after < before;
  if (isOverdrawn && event.type !== 'DepositReversed') broken.push(OVERDRAWN);
  return broken;
};

/** @returns the laws that what the event states breaks */
const stated = (account: AuditedAccount, availableMicroUsd: string): readonly string[] => {
  account.stated = fromDecimal(availableMicroUsd);
  return [
    ...(availableOf(account) === account.stated
      ? []
      : ['deposits - charges - holds + adjustments = available']),
    ...(account.adjusted > account.charged ? ['no more is given back than was charged'] : []),
  ];
};

/** Adds a movement to the month of its statement. @returns the laws that it breaks */
const booked = (
  account: AuditedAccount,
  { at, bookedIn }: { readonly at: string; readonly bookedIn: string | undefined },
  field: keyof AuditedMonth,
  amount: MicroUsd,
): readonly string[] => {
  const month = bookedIn ?? at.slice(0, 'YYYY-MM'.length);
  const sums = account.months.get(month) ?? { deposited: 0n, charged: 0n, adjusted: 0n };
  sums[field] += amount;
  account.months.set(month, sums);
  const spent = { deposited: 0n, charged: amount, adjusted: -amount }[field];
  account.spent.set(month, (account.spent.get(month) ?? 0n) + spent);
  const isClosed = account.closed !== null && month <= account.closed.month;
  return isClosed ? ['a closed statement gets no other movement'] : [];
};

/** @returns the laws that it breaks */
const closed = (account: AuditedAccount, data: StatementClosed['data']): readonly string[] => {
  const sums = account.months.get(data.month) ?? { deposited: 0n, charged: 0n, adjusted: 0n };
  const opening = account.closed?.left ?? 0n;
  const left = opening + sums.deposited - sums.charged + sums.adjusted;
  const isInOrder =
    (account.closed === null || account.closed.month < data.month) &&
    [...account.months.keys()].every((month) => month >= data.month);
  const isSum =
    fromDecimal(data.openingMicroUsd) === opening &&
    fromDecimal(data.depositedMicroUsd) === sums.deposited &&
    fromDecimal(data.chargedMicroUsd) === sums.charged &&
    fromDecimal(data.adjustedMicroUsd) === sums.adjusted &&
    fromDecimal(data.closingMicroUsd) === left;
  account.months.delete(data.month);
  account.closed = { month: data.month, left };
  return [
    ...(isInOrder ? [] : ['statements are closed once and in order']),
    ...(isSum ? [] : ['a closed statement is the sum of its month']),
    ...(isTaxed(data) ? [] : ['the tax of a statement is included in its charges']),
  ];
};

/** Whether the tax is the part of the charges that its rate makes, to the nearest micro-dollar. */
const isTaxed = ({ tax, chargedMicroUsd, adjustedMicroUsd }: StatementClosed['data']): boolean => {
  if (!tax) return true;
  const gross = fromDecimal(tax.grossMicroUsd);
  if (gross !== fromDecimal(chargedMicroUsd) - fromDecimal(adjustedMicroUsd)) return false;
  const whole = 1_000_000n + BigInt(tax.ratePpm);
  const error = fromDecimal(tax.taxMicroUsd) * whole - gross * BigInt(tax.ratePpm);
  return 2n * (error < 0n ? -error : error) <= whole;
};

const isAllotment = (event: Moving | Allotment): event is Allotment =>
  event.type === 'AllotmentSent' || event.type === 'AllotmentReceived';

/** @returns the laws that it breaks */
const allotted = (account: AuditedAccount, { type, data }: Allotment): readonly string[] => {
  const moved = fromDecimal(data.amountMicroUsd) * (type === 'AllotmentSent' ? -1n : 1n);
  account.deposited += moved;
  const at = type === 'AllotmentSent' ? data.sentAt : data.receivedAt;
  return booked(account, { at, bookedIn: data.bookedIn }, 'deposited', moved);
};

const moneyMoved = (account: AuditedAccount, { type, data }: Moving): readonly string[] => {
  const amount = fromDecimal(data.amountMicroUsd);
  switch (type) {
    case 'FundsDeposited': {
      account.deposited += amount;
      const credited = account.depositsLeft.has(data.depositId);
      account.depositsLeft.set(data.depositId, amount);
      const { depositedAt: at, bookedIn } = data;
      return [
        ...(credited ? ['a deposit is credited once'] : []),
        ...booked(account, { at, bookedIn }, 'deposited', amount),
      ];
    }
    case 'DepositReversed': {
      account.deposited -= amount;
      const left = (account.depositsLeft.get(data.depositId) ?? 0n) - amount;
      account.depositsLeft.set(data.depositId, left);
      const { reversedAt: at, bookedIn } = data;
      return [
        ...(left < 0n ? ['no more of a deposit goes back than was credited'] : []),
        ...booked(account, { at, bookedIn }, 'deposited', -amount),
      ];
    }
    case 'HoldPlaced': {
      account.held += amount;
      const placed = account.holds.has(data.holdId);
      const { expiresAt } = data;
      const lines = merged(data.lines);
      account.holds.set(data.holdId, { amount, lines, expiresAt, placed: data });
      return [
        ...(placed ? ['a hold is placed once'] : []),
        ...(account.ended ? ['a closed account places no hold'] : []),
        ...(priceOf(data.lines) === amount ? [] : ['a hold is the price of its lines']),
      ];
    }
    case 'HoldRenewed':
      account.held += amount;
      return renewedLaws(account, data);
    case 'HoldCaptured': {
      account.charged += amount;
      const { capturedAt: at, bookedIn } = data;
      return [
        ...capturedLaws(endHold(account, data.holdId), data),
        ...booked(account, { at, bookedIn }, 'charged', amount),
      ];
    }
    case 'HoldReleased':
    case 'HoldExpired': {
      const hold = endHold(account, data.holdId);
      if (!hold) return ['a hold ends once'];
      const early = type === 'HoldExpired' && data.expiredAt < hold.expiresAt;
      return [
        ...(hold.amount === amount ? [] : ['what is freed is the whole hold']),
        ...(early ? ['a hold expires at its deadline, not before'] : []),
      ];
    }
    case 'ChargeAdjusted': {
      account.adjusted += amount;
      const known = account.adjustmentIds.has(data.adjustmentId);
      account.adjustmentIds.add(data.adjustmentId);
      const { adjustedAt: at, bookedIn } = data;
      return [
        ...(known ? ['an adjustment is made once'] : []),
        ...(isDifference(data) ? [] : ['a re-rating is the difference of its two prices']),
        ...booked(account, { at, bookedIn }, 'adjusted', amount),
      ];
    }
  }
};

const isDifference = ({ rerating, amountMicroUsd }: ChargeAdjusted['data']): boolean =>
  rerating === null ||
  fromDecimal(rerating.fromMicroUsd) - fromDecimal(rerating.toMicroUsd) ===
    fromDecimal(amountMicroUsd);

const endHold = (account: AuditedAccount, holdId: string): AuditedHold | undefined => {
  const hold = account.holds.get(holdId);
  if (!hold) return undefined;
  account.held -= hold.amount;
  account.holds.delete(holdId);
  return hold;
};

const renewedLaws = (account: AuditedAccount, renewal: HoldRenewed['data']): readonly string[] => {
  const hold = account.holds.get(renewal.holdId);
  if (!hold) return ['a renewal is of an open hold'];
  const amount = hold.amount + fromDecimal(renewal.amountMicroUsd);
  const lines = merged([...hold.lines, ...renewal.lines]);
  const { expiresAt } = renewal;
  account.holds.set(renewal.holdId, { ...hold, amount, lines, expiresAt });
  return [
    ...(priceOf(lines) === amount ? [] : ['a hold is the price of its lines']),
    ...(expiresAt > hold.expiresAt ? [] : ['a renewal ends later than the hold did']),
    ...(renewal.purpose === hold.placed.purpose ? [] : ['a renewal has the purpose of its hold']),
  ];
};

const capturedLaws = (
  hold: AuditedHold | undefined,
  charge: HoldCaptured['data'],
): readonly string[] => {
  const amount = fromDecimal(charge.amountMicroUsd);
  const priced = priceOf(charge.lines) === amount ? [] : ['a charge is the price of its lines'];
  if (!hold) return [...priced, 'a hold ends once'];
  const { placed } = hold;
  const whole = amount + fromDecimal(charge.releasedMicroUsd) === hold.amount;
  const sameCard = charge.rateCardVersion === placed.rateCardVersion;
  const sameProduct = charge.purpose === placed.purpose && charge.group === placed.group;
  const within = isWithin(charge.lines, hold.lines);
  return [
    ...priced,
    ...(whole ? [] : ['charge and release make up the hold']),
    ...(sameCard ? [] : ['a charge names the rate card of its hold']),
    ...(sameProduct ? [] : ['a charge has the purpose of its hold']),
    ...(within ? [] : ['a charge is made of the lines of its hold']),
  ];
};
