import { csvOf } from '#platform/kernel/csv.js';
import { fromDecimal, MICRO_USD_PER_USD } from '#platform/kernel/money.js';
import { type Statement } from './statement.js';

const COLUMNS = [
  'section',
  'day',
  'purpose',
  'model',
  'job',
  'meter',
  'rate_card_version',
  'quantity',
  'unit_price_usd',
  'per_units',
  'charges',
  'amount_usd',
  'reference',
  'note',
] as const;

type Row = { readonly section: string; readonly amount_usd: string } & Partial<
  Readonly<Record<(typeof COLUMNS)[number], string>>
>;

/**
 * The statement as CSV (RFC 4180, UTF-8): one row for each line, deposit and adjustment, between
 * the opening and the closing balance. The amounts of all rows but the tax and the closing balance
 * sum to the closing balance: a charge is below zero, as a statement of a bank has it.
 */
export const statementCsv = (statement: Statement): string =>
  csvOf([COLUMNS, ...rowsOf(statement).map((row) => COLUMNS.map((column) => row[column] ?? ''))]);

const rowsOf = (statement: Statement): readonly Row[] => [
  { section: 'opening', amount_usd: inUsd(statement.openingMicroUsd), note: statement.month },
  ...statement.deposits.map(({ depositId, method, amountMicroUsd, depositedAt }) => ({
    section: 'deposit',
    day: dayOf(depositedAt),
    amount_usd: inUsd(amountMicroUsd),
    reference: depositId,
    note: method,
  })),
  ...statement.lines.map((line) => ({
    section: 'charge',
    day: line.day,
    purpose: line.purpose,
    model: line.model ?? '',
    job: line.job ?? '',
    meter: line.meter,
    rate_card_version: line.rateCardVersion?.toString() ?? '',
    quantity: line.quantity,
    unit_price_usd: inUsd(line.unitPriceMicroUsd),
    per_units: String(line.perUnits),
    charges: String(line.charges),
    amount_usd: inUsd(negated(line.amountMicroUsd)),
  })),
  ...statement.adjustments.map((adjustment) => ({
    section: adjustment.kind,
    day: dayOf(adjustment.adjustedAt),
    amount_usd: inUsd(adjustment.amountMicroUsd),
    reference: adjustment.adjustmentId,
    note: `${adjustment.refersTo.month}: ${adjustment.reason}`,
  })),
  ...taxRows(statement),
  { section: 'closing', amount_usd: inUsd(statement.closingMicroUsd), note: statement.status },
];

const taxRows = ({ tax }: Statement): readonly Row[] =>
  tax
    ? [
        {
          section: 'included_tax',
          amount_usd: inUsd(tax.taxMicroUsd),
          reference: tax.country,
          note: `${tax.kind} ${tax.ratePpm / 10_000} % ${tax.treatment}`,
        },
      ]
    : [];

const dayOf = (instant: string): string => instant.slice(0, 'YYYY-MM-DD'.length);

const negated = (amount: string): string => (-fromDecimal(amount)).toString();

/** Exact, always with six decimals. */
export const inUsd = (amount: string): string => {
  const microUsd = fromDecimal(amount);
  const magnitude = microUsd < 0n ? -microUsd : microUsd;
  const whole = magnitude / MICRO_USD_PER_USD;
  const fraction = (magnitude % MICRO_USD_PER_USD).toString().padStart(6, '0');
  return `${microUsd < 0n ? '-' : ''}${whole}.${fraction}`;
};
