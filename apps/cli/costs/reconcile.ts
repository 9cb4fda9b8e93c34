import { usdOrNull } from '#areas/costs/margin-fields.js';
import { type Bill, BillFileError, readBill } from '#areas/costs/reconciliation/bill-file.js';
import { reconcile, type Reconciled } from '#areas/costs/reconciliation/reconcile.js';
import { csvOf } from '#platform/kernel/csv.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';
import { reportText } from '../table.js';
import { marginAt } from './margin.js';

export interface ReconcileOptions extends CommonOptions {
  readonly file: string;
  readonly rig?: readonly string[];
  readonly csv?: boolean;
}

export const reconcileBill = async (
  { file, rig: rigs, csv: isCsv = false }: ReconcileOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const bill = await billOf(file, invocation);
  const days = bill.items.map(({ day }) => day).toSorted();
  const [from] = days;
  const to = days.at(-1);
  if (from === undefined || to === undefined) {
    throw new CommandFailure('bad_bill', `${file} bills nothing`, EXIT.usage);
  }
  const order = { from, to, by: ['day', 'sent'], ...(rigs && { rigs }) } as const;
  const { report, place } = await marginAt(order, invocation);
  const rows = reconcile(bill.items, report.rows).map(fieldsOf);
  const table = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => String(row[name] ?? '')))];
  return {
    json: { format: bill.format, from, to, rows, position: place },
    text: isCsv
      ? csvOf(table).trimEnd()
      : `${bill.format}, ${bill.rows} rows, ${from} to ${to}\n${reportText(table)}`,
  };
};

/** @throws CommandFailure `bad_bill` */
const billOf = async (file: string, invocation: Invocation): Promise<Bill> => {
  try {
    return await withProgress(invocation, 'Reading the bill', (onProgress) =>
      readBill(file, invocation.signal, (bytes, size) => onProgress(BigInt(bytes), BigInt(size))),
    );
  } catch (cause) {
    if (!Error.isError(cause)) throw cause;
    const isOfFile = 'code' in cause && cause.name !== 'AbortError';
    if (!(cause instanceof BillFileError) && !isOfFile) throw cause;
    const message = cause instanceof BillFileError ? `${file} ${cause.message}` : cause.message;
    throw new CommandFailure('bad_bill', message, EXIT.usage, { cause });
  }
};

const fieldsOf = (row: Reconciled) => ({
  day: row.day,
  model: row.model,
  billed_usd: usdOrNull(row.billedPicoUsd),
  cost_usd: usdOrNull(row.costPicoUsd),
  charged_usd: usdOrNull(row.chargedPicoUsd),
  billed_less_cost_usd: usdOrNull(row.differencePicoUsd),
  billed_input_tokens: row.billedInputTokens,
  input_tokens: row.inputTokens,
  billed_output_tokens: row.billedOutputTokens,
  output_tokens: row.outputTokens,
  attempts: row.attempts,
  attempts_of_unknown_cost: row.unknown,
});

const COLUMNS = [
  'day',
  'model',
  'billed_usd',
  'cost_usd',
  'charged_usd',
  'billed_less_cost_usd',
  'billed_input_tokens',
  'input_tokens',
  'billed_output_tokens',
  'output_tokens',
  'attempts',
  'attempts_of_unknown_cost',
] as const;
