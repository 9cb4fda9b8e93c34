import {
  type AccountEvent,
  type HoldCaptured,
  type HoldPlaced,
  type HoldRenewed,
} from '#events/billing/account.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { isWithin, merged, priceOf } from './price.js';

/** A law of the ledger that an event breaks. */
export interface LedgerFault {
  readonly accountId: string;
  readonly position: string;
  readonly law: string;
}

/** A hold with what its renewals added. */
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
  deposited: MicroUsd;
  charged: MicroUsd;
  held: MicroUsd;
  readonly depositIds: Set<string>;
  /** Open holds by id. */
  readonly holds: Map<string, AuditedHold>;
  /** What the last event says is available. */
  stated: MicroUsd;
}

type Moving = Exclude<AccountEvent, { readonly type: 'AccountOpened' }>;

/**
 * Recomputes every account from its events alone, by its own fold and not by the decider's, and
 * checks each event against the laws: every amount is the price of its lines, a renewal is of an
 * open hold and extends it, a charge is made of the lines of its hold, a hold ends exactly once and
 * is never exceeded, a deposit is credited once, and after each event deposits - charges - holds =
 * the available amount that the event states.
 */
export class LedgerAudit {
  readonly accounts = new Map<string, AuditedAccount>();
  readonly faults: LedgerFault[] = [];
  events = 0;

  take(event: AccountEvent, position: bigint): void {
    const { accountId } = event.data;
    this.events += 1;
    const account = this.#account(accountId);
    const broken = event.type === 'AccountOpened' ? open(account) : move(account, event);
    for (const law of broken) {
      this.faults.push({ accountId, position: position.toString(), law });
    }
  }

  #account(accountId: string): AuditedAccount {
    const known = this.accounts.get(accountId);
    if (known) return known;
    const account: AuditedAccount = {
      opened: false,
      deposited: 0n,
      charged: 0n,
      held: 0n,
      depositIds: new Set(),
      holds: new Map(),
      stated: 0n,
    };
    this.accounts.set(accountId, account);
    return account;
  }
}

/** @returns the laws that it breaks */
const open = (account: AuditedAccount): readonly string[] => {
  const broken = account.opened ? ['an account is opened once'] : [];
  account.opened = true;
  return broken;
};

/** @returns the laws that it breaks */
const move = (account: AuditedAccount, event: Moving): readonly string[] => {
  const broken = account.opened ? [] : ['an account is opened before anything else'];
  broken.push(...moneyMoved(account, event));
  account.stated = fromDecimal(event.data.availableMicroUsd);
  const available = account.deposited - account.charged - account.held;
  if (available !== account.stated) broken.push('deposits - charges - holds = available');
  if (available < 0n) broken.push('an account is never overdrawn');
  return broken;
};

const moneyMoved = (account: AuditedAccount, { type, data }: Moving): readonly string[] => {
  const amount = fromDecimal(data.amountMicroUsd);
  switch (type) {
    case 'FundsDeposited': {
      account.deposited += amount;
      const credited = account.depositIds.has(data.depositId);
      account.depositIds.add(data.depositId);
      return credited ? ['a deposit is credited once'] : [];
    }
    case 'HoldPlaced': {
      account.held += amount;
      const placed = account.holds.has(data.holdId);
      const { expiresAt } = data;
      const lines = merged(data.lines);
      account.holds.set(data.holdId, { amount, lines, expiresAt, placed: data });
      return [
        ...(placed ? ['a hold is placed once'] : []),
        ...(priceOf(data.lines) === amount ? [] : ['a hold is the price of its lines']),
      ];
    }
    case 'HoldRenewed':
      account.held += amount;
      return renewedLaws(account, data);
    case 'HoldCaptured':
      account.charged += amount;
      return capturedLaws(endHold(account, data.holdId), data);
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
  }
};

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
    ...(renewal.purpose === hold.placed.purpose ? [] : ['a renewal is for what its hold is for']),
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
    ...(sameProduct ? [] : ['a charge is for what its hold is for']),
    ...(within ? [] : ['a charge is made of the lines of its hold']),
  ];
};
