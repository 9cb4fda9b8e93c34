import { type PicoUsd, picoUsdOf } from '#platform/kernel/pico-usd.js';

/** A row of a CSV file, by lower-case column. */
export type BillRow = Readonly<Record<string, string>>;

/** The bill of a provider for one model on one day, as far as a row states it. */
export interface BilledItem {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** As the provider names it. */
  readonly model: string;
  readonly picoUsd: PicoUsd | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** One kind of export. */
export interface BillFormat {
  readonly name: string;
  /** Columns that no other format has. */
  readonly marks: readonly string[];
  /** Columns that are read. */
  readonly columns: readonly string[];
  /** Null: a row without an amount. @throws BadCellError */
  read(row: BillRow): BilledItem | null;
}

/** A cell that cannot be read. */
export class BadCellError extends Error {
  override readonly name = 'BadCellError';

  constructor(column: string, expected: string, received: string) {
    super(`${column}: expected ${expected}, received ${JSON.stringify(received.slice(0, 80))}`);
  }
}

const cellOf = (row: BillRow, column: string): string => (row[column] ?? '').trim();

const dayIn = (row: BillRow, column: string): string => {
  const text = cellOf(row, column);
  const iso = /^(\d{4}-\d\d-\d\d)(?:[T ].*)?$/.exec(text)?.[1];
  const american = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text);
  const day = iso ?? (american && `${american[3]}-${american[1]}-${american[2]}`);
  if (!day || Number.isNaN(Date.parse(day))) throw new BadCellError(column, 'a day', text);
  return day;
};

const usdIn = (row: BillRow, column: string): PicoUsd => {
  const text = cellOf(row, column);
  const isNegative = text.startsWith('-');
  const amount = picoUsdOf(isNegative ? text.slice(1) : text);
  if (amount === null) throw new BadCellError(column, 'an amount in USD', text);
  return isNegative ? -amount : amount;
};

const demandUsd = (row: BillRow, column: string): void => {
  const currency = cellOf(row, column);
  if (currency.toLowerCase() !== 'usd') throw new BadCellError(column, 'usd', currency);
};

const tokensIn = (row: BillRow, ...columns: readonly string[]): number =>
  columns.reduce((sum, column) => {
    const text = cellOf(row, column);
    if (text === '') return sum;
    if (!/^\d{1,15}$/.test(text)) throw new BadCellError(column, 'a number of tokens', text);
    return sum + Number(text);
  }, 0);

/** `gpt-6-astra, input_tokens` is a line of the model `gpt-6-astra`. */
const openAiCosts: BillFormat = {
  name: 'OpenAI costs',
  marks: ['amount_value'],
  columns: ['start_time_iso', 'amount_value', 'amount_currency', 'line_item'],
  read(row) {
    if (cellOf(row, 'amount_value') === '') return null;
    demandUsd(row, 'amount_currency');
    const [model = ''] = cellOf(row, 'line_item').split(',');
    return {
      day: dayIn(row, 'start_time_iso'),
      model: model.trim(),
      picoUsd: usdIn(row, 'amount_value'),
      inputTokens: null,
      outputTokens: null,
    };
  },
};

/** Input includes cached and written tokens. */
const openAiUsage: BillFormat = {
  name: 'OpenAI usage',
  marks: ['num_model_requests'],
  columns: ['start_time_iso', 'num_model_requests', 'model', 'input_tokens', 'output_tokens'],
  read(row) {
    if (cellOf(row, 'model') === '') return null;
    return {
      day: dayIn(row, 'start_time_iso'),
      model: cellOf(row, 'model'),
      picoUsd: null,
      inputTokens: tokensIn(row, 'input_tokens'),
      outputTokens: tokensIn(row, 'output_tokens'),
    };
  },
};

const ANTHROPIC_INPUTS = [
  'usage_input_tokens_no_cache',
  'usage_input_tokens_cache_write_5m',
  'usage_input_tokens_cache_write_1h',
  'usage_input_tokens_cache_read',
] as const;

const anthropicUsage: BillFormat = {
  name: 'Anthropic usage',
  marks: ['usage_input_tokens_no_cache'],
  columns: ['usage_date_utc', 'model_version', ...ANTHROPIC_INPUTS, 'usage_output_tokens'],
  read: (row) => ({
    day: dayIn(row, 'usage_date_utc'),
    model: cellOf(row, 'model_version'),
    picoUsd: null,
    inputTokens: tokensIn(row, ...ANTHROPIC_INPUTS),
    outputTokens: tokensIn(row, 'usage_output_tokens'),
  }),
};

const anthropicCosts: BillFormat = {
  name: 'Anthropic costs',
  marks: ['cost_usd', 'token_type'],
  columns: ['usage_date_utc', 'model', 'token_type', 'cost_usd'],
  read: (row) => ({
    day: dayIn(row, 'usage_date_utc'),
    model: cellOf(row, 'model'),
    picoUsd: usdIn(row, 'cost_usd'),
    inputTokens: null,
    outputTokens: null,
  }),
};

const azureCosts: BillFormat = {
  name: 'Azure costs',
  marks: ['costinbillingcurrency'],
  columns: ['date', 'metername', 'costinbillingcurrency', 'billingcurrencycode'],
  read(row) {
    demandUsd(row, 'billingcurrencycode');
    return {
      day: dayIn(row, 'date'),
      model: cellOf(row, 'metername'),
      picoUsd: usdIn(row, 'costinbillingcurrency'),
      inputTokens: null,
      outputTokens: null,
    };
  },
};

export const BILL_FORMATS: readonly BillFormat[] = [
  openAiCosts,
  openAiUsage,
  anthropicUsage,
  anthropicCosts,
  azureCosts,
];

/** The column of another schema of the same export. */
const ALIASES: Readonly<Record<string, string>> = {
  billingcurrency: 'billingcurrencycode',
  usagedate: 'date',
};

export const columnOf = (header: string): string => {
  const name = header.trim().toLowerCase();
  return ALIASES[name] ?? name;
};
