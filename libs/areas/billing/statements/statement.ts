import { type StatementParties, type StatementTax } from '#events/billing/account.events.js';
import { type AllotmentReceived, type AllotmentSent } from '#events/billing/allotment.events.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import {
  type ChargedUnits,
  type ChargesOfDay,
  type StatementDocument,
  type StatementMonth,
} from '#projections/billing/statements.projection.js';

/** The meter of the line that makes the lines of a group add up to its charges. */
export const ROUNDING = 'rounding';

/**
 * One line of a statement. Lines with one day, purpose, model and job are a group: its charges. A
 * charge is the exact sum of its priced units, rounded up once to a whole micro-dollar. The amount
 * of a line is `quantity * unitPriceMicroUsd / perUnits`, rounded down, and the last line of a
 * group is its rounding: what its charges come to above its other lines. So the lines of a group
 * sum to its charges, and all lines to the charges of the month, to the micro-dollar.
 */
export interface StatementLine {
  /** In UTC; before the month for a charge that was recorded after its own month was closed. */
  readonly day: string;
  readonly model: string | null;
  readonly job: string | null;
  readonly purpose: string;
  readonly meter: string;
  /** Null for the rounding. */
  readonly rateCardVersion: number | null;
  /** Units, as a decimal string; of the rounding: micro-dollars. */
  readonly quantity: string;
  readonly unitPriceMicroUsd: string;
  readonly perUnits: number;
  readonly amountMicroUsd: string;
  /** How many charges the line is part of. */
  readonly charges: number;
}

/**
 * A deposit, or one that went back: a `refund` or `chargeback`, whose amount is below zero. An
 * `allotment` is from or for the account of its id; one that was sent is below zero.
 */
export interface StatementDeposit {
  readonly depositId: string;
  readonly number: number;
  readonly method: string;
  readonly amountMicroUsd: string;
  readonly depositedAt: string;
}

export interface StatementAdjustment {
  readonly adjustmentId: string;
  readonly number: number;
  readonly kind: 'credit_note' | 'rerating';
  /** Above zero: given back. Below zero: charged in addition. */
  readonly amountMicroUsd: string;
  readonly refersTo: { readonly month: string; readonly holdId: string | null };
  readonly reason: string;
  readonly adjustedAt: string;
}

/** All amounts are decimal micro-dollars. Opening + deposits - charges + adjustments = closing. */
export interface Statement {
  readonly accountId: string;
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly currency: 'USD';
  /** `open`: the month is not over. `closing`: it is over, and late charges may still come. */
  readonly status: 'open' | 'closing' | 'closed';
  readonly openingMicroUsd: string;
  readonly closingMicroUsd: string;
  readonly lines: readonly StatementLine[];
  readonly deposits: readonly StatementDeposit[];
  readonly adjustments: readonly StatementAdjustment[];
  /** Decided when the month is closed; null before, and without a tax status. */
  readonly tax: StatementTax | null;
  /** Fixed when the month is closed; null before. */
  readonly parties: StatementParties | null;
  readonly totals: {
    readonly depositedMicroUsd: string;
    readonly chargedMicroUsd: string;
    readonly adjustedMicroUsd: string;
    readonly charges: number;
  };
  readonly closedAt: string | null;
  /** The log position that the statement reflects. */
  readonly position: string;
}

const linesOf = ({ lines, amount, charges, ...group }: ChargesOfDay): readonly StatementLine[] => {
  const { day, model, job, purpose } = group;
  const of = { day, model, job, purpose };
  const priced = lines.map((units) => ({ ...of, ...units, amountMicroUsd: exactlyBelow(units) }));
  const rounding = priced.reduce(
    (rest, { amountMicroUsd }) => rest - fromDecimal(amountMicroUsd),
    fromDecimal(amount),
  );
  if (rounding === 0n) return priced;
  const quantity = toDecimal(rounding);
  const price = { unitPriceMicroUsd: '1', perUnits: 1, rateCardVersion: null };
  return [
    ...priced,
    { ...of, meter: ROUNDING, ...price, quantity, amountMicroUsd: quantity, charges },
  ];
};

const exactlyBelow = ({ quantity, unitPriceMicroUsd, perUnits }: ChargedUnits): string =>
  toDecimal((BigInt(quantity) * fromDecimal(unitPriceMicroUsd)) / BigInt(perUnits));

const sumOf = (amounts: readonly string[]): bigint =>
  amounts.reduce((sum, amount) => sum + fromDecimal(amount), 0n);

/** The balance of earlier months: deposits less charges plus adjustments. */
export const openingOf = (earlier: readonly StatementMonth[]): bigint =>
  sumOf(earlier.map(({ deposited }) => deposited)) -
  sumOf(earlier.map(({ charged }) => charged)) +
  sumOf(earlier.map(({ adjusted }) => adjusted));

/** The parts of a statement. */
export interface StatementParts {
  readonly accountId: string;
  readonly month: string;
  readonly isOver: boolean;
  readonly earlier: readonly StatementMonth[];
  readonly entries: readonly StatementDocument[];
  readonly closed: StatementMonth['closed'];
  readonly position: bigint;
}

/** @throws Error where the entries do not come to what the closed statement says: a defect */
export const statementOf = (parts: StatementParts): Statement => {
  const { accountId, month, entries, closed, position } = parts;
  const groups = entries.filter((entry) => entry.kind === 'charges');
  const deposits = entries.flatMap(depositsIn);
  const adjustments = entries.flatMap((entry) =>
    entry.kind === 'adjustment' ? [entry.adjustment] : [],
  );
  const deposited = sumOf(deposits.map(({ amountMicroUsd }) => amountMicroUsd));
  const adjusted = sumOf(adjustments.map(({ amountMicroUsd }) => amountMicroUsd));
  const charged = sumOf(groups.map(({ amount }) => amount));
  const opening = openingOf(parts.earlier);
  const closing = opening + deposited - charged + adjusted;
  const statement: Statement = {
    accountId,
    month,
    currency: 'USD',
    status: statusOf(parts),
    openingMicroUsd: toDecimal(opening),
    closingMicroUsd: toDecimal(closing),
    lines: groups.flatMap(linesOf),
    deposits,
    adjustments: adjustments.map(({ adjustmentNumber: number, ...adjustment }) => {
      const { adjustmentId, kind, amountMicroUsd, refersTo, reason, adjustedAt } = adjustment;
      return { adjustmentId, number, kind, amountMicroUsd, refersTo, reason, adjustedAt };
    }),
    tax: closed?.tax ?? null,
    parties: closed?.parties ?? null,
    totals: {
      depositedMicroUsd: toDecimal(deposited),
      chargedMicroUsd: toDecimal(charged),
      adjustedMicroUsd: toDecimal(adjusted),
      charges: groups.reduce((sum, { charges }) => sum + charges, 0),
    },
    closedAt: closed?.closedAt ?? null,
    position: position.toString(),
  };
  if (closed) demandAsClosed(statement, closed);
  return statement;
};

const depositsIn = (entry: StatementDocument): readonly StatementDeposit[] => {
  if (entry.kind === 'deposit') {
    const { depositId, depositNumber: number, method, amountMicroUsd, depositedAt } = entry.deposit;
    return [{ depositId, number, method, amountMicroUsd, depositedAt }];
  }
  if (entry.kind === 'allotment') return [allotmentOf(entry.allotment)];
  if (entry.kind !== 'reversal') return [];
  const { depositId, reversalNumber: number, kind: method, reversedAt } = entry.reversal;
  const amountMicroUsd = toDecimal(-fromDecimal(entry.reversal.amountMicroUsd));
  return [{ depositId, number, method, amountMicroUsd, depositedAt: reversedAt }];
};

const ALLOTMENT = 'allotment';

const allotmentOf = ({ type, data }: AllotmentSent | AllotmentReceived): StatementDeposit => {
  const { allotmentNumber: number, amountMicroUsd } = data;
  if (type === 'AllotmentReceived') {
    const { fromId: depositId, receivedAt: depositedAt } = data;
    return { depositId, number, method: ALLOTMENT, amountMicroUsd, depositedAt };
  }
  const sent = toDecimal(-fromDecimal(amountMicroUsd));
  const { toId: depositId, sentAt: depositedAt } = data;
  return { depositId, number, method: ALLOTMENT, amountMicroUsd: sent, depositedAt };
};

const statusOf = ({ closed, isOver }: StatementParts): Statement['status'] => {
  if (closed) return 'closed';
  return isOver ? 'closing' : 'open';
};

const demandAsClosed = (
  { openingMicroUsd, closingMicroUsd, totals, accountId, month }: Statement,
  closed: NonNullable<StatementMonth['closed']>,
): void => {
  const same =
    openingMicroUsd === closed.openingMicroUsd &&
    closingMicroUsd === closed.closingMicroUsd &&
    totals.depositedMicroUsd === closed.depositedMicroUsd &&
    totals.chargedMicroUsd === closed.chargedMicroUsd &&
    totals.adjustedMicroUsd === closed.adjustedMicroUsd;
  if (same) return;
  throw new Error(`the statement ${month} of account ${accountId} differs from its closing`);
};
