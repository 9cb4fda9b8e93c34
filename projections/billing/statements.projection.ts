import {
  ChargeAdjusted,
  DepositReversed,
  FundsDeposited,
  HoldCaptured,
  StatementClosed,
} from '#events/billing/account.events.js';
import { AllotmentReceived, AllotmentSent } from '#events/billing/allotment.events.js';
import {
  dayOf,
  instantOf,
  type Movement,
  statementMonthOf,
} from '#events/billing/statement-month.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { keepingLatest } from '#platform/kernel/latest-value.js';
import { minus, plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** The charges of a day for one purpose, model and job. Amounts are decimal micro-dollars. */
export interface ChargesOfDay {
  readonly kind: 'charges';
  readonly day: string;
  readonly purpose: string;
  readonly model: string | null;
  readonly job: string | null;
  readonly charges: number;
  /** The sum of the charges, each of which was rounded up once. */
  readonly amount: string;
  readonly lines: readonly ChargedUnits[];
}

/** Units that were charged at one price of one rate card. */
export interface ChargedUnits {
  readonly meter: string;
  readonly rateCardVersion: number;
  readonly unitPriceMicroUsd: string;
  readonly perUnits: number;
  /** A decimal string: the sum may be above 2^53. */
  readonly quantity: string;
  readonly charges: number;
}

/** The totals of an account in a month. */
export interface StatementMonth {
  readonly kind: 'month';
  readonly accountId: string;
  readonly month: string;
  readonly deposited: string;
  readonly charged: string;
  readonly adjusted: string;
  readonly charges: number;
  /** The data of `StatementClosed`; null while the month is open. */
  readonly closed: StatementClosed['data'] | null;
}

/** A month that has movements and is not closed; nothing else is known of it. */
export interface OpenStatement {
  readonly kind: 'open';
  readonly accountId: string;
  readonly month: string;
}

export type StatementDocument =
  | ChargesOfDay
  | StatementMonth
  | OpenStatement
  | { readonly kind: 'deposit'; readonly deposit: FundsDeposited['data'] }
  | { readonly kind: 'reversal'; readonly reversal: DepositReversed['data'] }
  | { readonly kind: 'adjustment'; readonly adjustment: ChargeAdjusted['data'] }
  | { readonly kind: 'allotment'; readonly allotment: AllotmentSent | AllotmentReceived };

type StatementEvent = Movement | StatementClosed;

const ABSENT = '-';
export const OPEN = 'open/';

/** Ordered by month; the key of a month is before the keys of later months. */
export const monthKey = (accountId: string, month = ''): string => `month/${accountId}/${month}`;

/** Ordered by month, over all accounts. */
export const openKey = (month: string, accountId = ''): string => `${OPEN}${month}/${accountId}`;

/** All lines, deposits and adjustments of a statement, in the order of their days. */
export const entriesPrefix = (accountId: string, month: string): string =>
  `entry/${accountId}/${month}/`;

const entryKey = (accountId: string, movement: Exclude<Movement, HoldCaptured>): string => {
  const { type, data } = movement;
  const prefix = entriesPrefix(accountId, statementMonthOf(movement));
  const at = instantOf(movement);
  switch (type) {
    case 'FundsDeposited':
      return `${prefix}${dayOf(at)}/deposit/${ordered(data.depositNumber)}`;
    case 'DepositReversed':
      return `${prefix}${dayOf(at)}/reversal/${ordered(data.reversalNumber)}`;
    case 'ChargeAdjusted':
      return `${prefix}${dayOf(at)}/adjustment/${ordered(data.adjustmentNumber)}`;
    case 'AllotmentSent':
    case 'AllotmentReceived':
      return `${prefix}${dayOf(at)}/allotment/${ordered(data.allotmentNumber)}`;
  }
};

const keysOfCharge = keepingLatest(
  (
    accountId,
    month: string,
    day: string,
    purpose: string,
    jobId: string,
    model: string,
  ): readonly string[] => [
    `${entriesPrefix(accountId, month)}${day}/charges/${purpose}/${jobId}/${model}`,
    monthKey(accountId, month),
    openKey(month, accountId),
  ],
);

const ordered = (count: number): string => String(count).padStart(16, '0');

const keys = (event: StatementEvent): readonly string[] => {
  const { accountId } = event.data;
  if (event.type === 'StatementClosed') {
    const { month } = event.data;
    return [monthKey(accountId, month), openKey(month, accountId)];
  }
  const month = statementMonthOf(event);
  if (event.type === 'HoldCaptured') {
    const { capturedAt, purpose, model = ABSENT, jobId = ABSENT } = event.data;
    return keysOfCharge(accountId, month, dayOf(capturedAt), purpose, jobId, model);
  }
  return [entryKey(accountId, event), monthKey(accountId, month), openKey(month, accountId)];
};

const inMonth = (event: StatementEvent, before: StatementMonth): StatementMonth => {
  switch (event.type) {
    case 'FundsDeposited':
    case 'AllotmentReceived':
      return { ...before, deposited: plus(before.deposited, event.data.amountMicroUsd) };
    case 'DepositReversed':
    case 'AllotmentSent':
      return { ...before, deposited: minus(before.deposited, event.data.amountMicroUsd) };
    case 'HoldCaptured':
      return {
        kind: before.kind,
        accountId: before.accountId,
        month: before.month,
        deposited: before.deposited,
        charged: plus(before.charged, event.data.amountMicroUsd),
        adjusted: before.adjusted,
        charges: before.charges + 1,
        closed: before.closed,
      };
    case 'ChargeAdjusted':
      return { ...before, adjusted: plus(before.adjusted, event.data.amountMicroUsd) };
    case 'StatementClosed':
      return { ...before, closed: event.data };
  }
};

const isAtPriceOf = (units: ChargedUnits, line: PriceLine, rateCardVersion: number): boolean =>
  units.meter === line.meter &&
  units.rateCardVersion === rateCardVersion &&
  units.unitPriceMicroUsd === line.unitPriceMicroUsd &&
  units.perUnits === line.perUnits;

const NOT_CHARGED = { quantity: '0', charges: 0 } as const;

/** Steps of one charge that have a price in common share a line. */
const addCharge = (
  units: readonly ChargedUnits[],
  { lines, rateCardVersion }: HoldCaptured['data'],
): readonly ChargedUnits[] => {
  const sums = [...units];
  for (const line of lines) {
    const { meter, unitPriceMicroUsd, perUnits } = line;
    const found = sums.findIndex((one) => isAtPriceOf(one, line, rateCardVersion));
    const at = found < 0 ? sums.length : found;
    const { quantity, charges } = sums[at] ?? NOT_CHARGED;
    // A line of this charge has counted it already.
    const isCounted = found >= 0 && sums[at] !== units[at];
    sums[at] = {
      meter,
      rateCardVersion,
      unitPriceMicroUsd,
      perUnits,
      quantity: plus(quantity, String(line.quantity)),
      charges: isCounted ? charges : charges + 1,
    };
  }
  return sums;
};

const NO_CHARGES = { charges: 0, amount: '0', lines: [] } as const;

const entryAfter = (event: Movement, before: StatementDocument): StatementDocument => {
  switch (event.type) {
    case 'FundsDeposited':
      return { kind: 'deposit', deposit: event.data };
    case 'DepositReversed':
      return { kind: 'reversal', reversal: event.data };
    case 'ChargeAdjusted':
      return { kind: 'adjustment', adjustment: event.data };
    case 'AllotmentSent':
    case 'AllotmentReceived':
      return { kind: 'allotment', allotment: event };
    case 'HoldCaptured': {
      const { purpose, model = null, jobId: job = null, capturedAt, amountMicroUsd } = event.data;
      const sums = before.kind === 'charges' ? before : NO_CHARGES;
      return {
        kind: 'charges',
        day: dayOf(capturedAt),
        purpose,
        model,
        job,
        charges: sums.charges + 1,
        amount: plus(sums.amount, amountMicroUsd),
        lines: addCharge(sums.lines, event.data),
      };
    }
  }
};

const monthInitial = (accountId: string, month: string): StatementMonth => ({
  kind: 'month',
  accountId,
  month,
  deposited: '0',
  charged: '0',
  adjusted: '0',
  charges: 0,
  closed: null,
});

const initial = (key: string): StatementDocument => {
  const [place = '', one = '', other = ''] = key.split('/');
  return place === 'month'
    ? monthInitial(one, other)
    : { kind: 'open', month: one, accountId: other };
};

const project = (
  event: StatementEvent,
  before: StatementDocument,
  key: string,
): StatementDocument | null => {
  if (before.kind === 'month') return inMonth(event, before);
  if (event.type === 'StatementClosed') return null;
  return key.startsWith(OPEN) ? before : entryAfter(event, before);
};

/**
 * What is on the statement of a month? Documents of three places: `entry/` has the lines, `month/`
 * the totals, and `open/` the months that are not closed.
 */
export const statements: Projection<StatementEvent, StatementDocument> = {
  name: 'statements',
  version: 1,
  on: {
    FundsDeposited,
    DepositReversed,
    HoldCaptured,
    ChargeAdjusted,
    AllotmentSent,
    AllotmentReceived,
    StatementClosed,
  },
  keys,
  initial,
  project,
};
