/** Sums by two groups: rows and columns. Amounts are exact. */
import { type AnswerOf } from '../shell/routes.js';

export type SpendRow = AnswerOf<'/api/v1/spend'>['rows'][number];

export interface PivotRow {
  readonly name: string;
  /** Micro-dollars by column. */
  readonly cells: ReadonlyMap<string, bigint>;
  readonly total: bigint;
}

export interface Pivot {
  /** Without one where the sums are by rows alone. */
  readonly columns: readonly string[];
  readonly rows: readonly PivotRow[];
}

const MICRO_DIGITS = 6;
const CACHED = /^cache_read/;
const INPUT = /^(cache_\w+|input|audio_input|image_input)_tokens$/;

/** Of a decimal in dollars, as the gateway gives it: with six decimals at most. */
export const microOf = (usd: string): bigint => {
  const [whole = '0', decimals = ''] = usd.replace('-', '').split('.');
  const amount = BigInt(whole + decimals.padEnd(MICRO_DIGITS, '0'));
  return usd.startsWith('-') ? -amount : amount;
};

/** A correction has no group but its day, and a row of its own. */
const nameOf = ({ group, kind }: SpendRow, by: string): string => {
  const value = group[by] ?? '(none)';
  return kind === 'usage' ? value : `${value}, ${kind.replace('_', ' ')}`;
};

export const pivotOf = (spent: readonly SpendRow[], by: string, across: string): Pivot => {
  const columns = new Set<string>();
  const rows = new Map<string, Map<string, bigint>>();
  for (const row of spent) {
    const column = across === '' ? '' : (row.group[across] ?? '(none)');
    const name = nameOf(row, by);
    const cells = rows.get(name) ?? new Map<string, bigint>();
    cells.set(column, (cells.get(column) ?? 0n) + microOf(row.amount_usd));
    rows.set(name, cells);
    columns.add(column);
  }
  return {
    columns: across === '' ? [] : [...columns].sort(),
    rows: [...rows].map(([name, cells]) => ({
      name,
      cells,
      total: [...cells.values()].reduce((sum, amount) => sum + amount, 0n),
    })),
  };
};

/** The part of input tokens that a provider's cache has answered, from 0 to 1. Null: no input. */
export const cachedShareOf = (byClass: readonly SpendRow[]): number | null => {
  let cached = 0;
  let input = 0;
  for (const { group, quantity } of byClass) {
    const name = group['class'] ?? '';
    if (INPUT.test(name)) input += Number(quantity ?? 0);
    if (CACHED.test(name)) cached += Number(quantity ?? 0);
  }
  return input === 0 ? null : cached / input;
};
