import { type Fields, fieldsOf, listOf, textOf, wholeOf } from './fields.js';
import { demand } from './proof.error.js';

/** The figures of a statement, recomputed. */
export interface VerifiedStatement {
  readonly month: string;
  readonly openingMicroUsd: bigint;
  readonly depositedMicroUsd: bigint;
  readonly chargedMicroUsd: bigint;
  readonly adjustedMicroUsd: bigint;
  readonly closingMicroUsd: bigint;
}

const TAX_DIVISOR = 10_000n;
const PERCENT = 100n * TAX_DIVISOR;

/**
 * Recomputes the answer of `GET /api/v1/billing/statements/{month}` from its lines, deposits and
 * adjustments. Only the archive of the statement proves that none of them is missing.
 * @throws ProofError naming the figure that differs
 */
export const verifyStatement = (statement: object): VerifiedStatement => {
  const fields = fieldsOf(statement, 'the statement');
  const totals = fieldsOf(fields['totals'], 'the totals');
  const openingMicroUsd = wholeOf(fields, 'opening_micro_usd');
  const depositedMicroUsd = sumOf(fields, 'deposits');
  const adjustedMicroUsd = sumOf(fields, 'adjustments');
  const chargedMicroUsd = listOf(fields, 'lines')
    .map((line) => lineAmount(fieldsOf(line, 'a line')))
    .reduce((sum, amount) => sum + amount, 0n);
  const closingMicroUsd = openingMicroUsd + depositedMicroUsd - chargedMicroUsd + adjustedMicroUsd;
  demandSame(totals, 'deposited_micro_usd', depositedMicroUsd);
  demandSame(totals, 'charged_micro_usd', chargedMicroUsd);
  demandSame(totals, 'adjusted_micro_usd', adjustedMicroUsd);
  demandSame(fields, 'closing_micro_usd', closingMicroUsd);
  if (fields['tax'] != null) {
    demandTax(fieldsOf(fields['tax'], 'the tax'), chargedMicroUsd - adjustedMicroUsd);
  }
  return {
    month: textOf(fields, 'month'),
    openingMicroUsd,
    depositedMicroUsd,
    chargedMicroUsd,
    adjustedMicroUsd,
    closingMicroUsd,
  };
};

const demandSame = (fields: Fields, name: string, recomputed: bigint): void => {
  const stated = wholeOf(fields, name);
  demand(stated === recomputed, `${name} is stated as ${stated}, and comes to ${recomputed}`);
};

const sumOf = (statement: Fields, list: string): bigint =>
  listOf(statement, list).reduce<bigint>(
    (sum, one) => sum + wholeOf(fieldsOf(one, `one of the ${list}`), 'amount_micro_usd'),
    0n,
  );

/** Rounded down; a line of the meter `rounding` has what the charges come to above it. */
const lineAmount = (line: Fields): bigint => {
  const perUnits = wholeOf(line, 'per_units');
  demand(perUnits > 0n, 'per_units is not above zero');
  const amount = (wholeOf(line, 'quantity') * wholeOf(line, 'unit_price_micro_usd')) / perUnits;
  demandSame(line, 'amount_micro_usd', amount);
  return amount;
};

/** The tax in an amount that includes it, rounded half away from zero. */
const demandTax = (tax: Fields, gross: bigint): void => {
  demandSame(tax, 'gross_micro_usd', gross);
  const rate = BigInt(Math.round(Number(tax['rate_pct']) * Number(TAX_DIVISOR)));
  const magnitude = gross < 0n ? -gross : gross;
  const divisor = PERCENT + rate;
  const amount = (2n * magnitude * rate + divisor) / (2n * divisor);
  demandSame(tax, 'tax_micro_usd', gross < 0n ? -amount : amount);
};
