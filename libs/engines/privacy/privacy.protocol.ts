import { z } from 'zod';

/** Cells of an answer, and values of a column that a quantile or a choice of values looks at. */
export const CELLS_MAX = 10_000;
export const CONDITIONS_MAX = 8;
export const KEYS_MAX = 3;
export const TOP_MAX = 100;
export const SYNTHETIC_ROWS_MAX = 10_000;

const Index = z.int().nonnegative().max(31);
const Code = z.int().nonnegative();

/** Rows whose code of a column is in the list, or from `from` to `to`. */
export const Condition = z.union([
  z.strictObject({ column: Index, codes: z.array(Code).min(1).max(1_000).readonly() }),
  z.strictObject({ column: Index, from: Code, to: Code }),
]);
export type Condition = z.infer<typeof Condition>;

/** The value of a code in units of the grid of a sum: `offset + factor * code`. */
export const Grid = z.strictObject({ offset: z.int(), factor: z.int().positive() });
export type Grid = z.infer<typeof Grid>;

const where = z.array(Condition).max(CONDITIONS_MAX).readonly();
const by = z.array(Index).max(KEYS_MAX).readonly();

export const PrivacyQuery = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('count'), where, by }),
  z.strictObject({ kind: z.literal('sum'), where, by, column: Index, grid: Grid }),
  /** Around the middle of the column, in half steps. */
  z.strictObject({ kind: z.literal('mean'), where, by, column: Index }),
  z.strictObject({
    kind: z.literal('quantile'),
    where,
    column: Index,
    /** In thousandths. */
    permille: z.int().min(1).max(999),
  }),
  z.strictObject({
    kind: z.literal('top_k'),
    where,
    column: Index,
    k: z.int().positive().max(TOP_MAX),
  }),
  z.strictObject({
    kind: z.literal('synthesize'),
    rows: z.int().positive().max(SYNTHETIC_ROWS_MAX),
  }),
]);
export type PrivacyQuery = z.infer<typeof PrivacyQuery>;

/** `pure`: the epsilon of the answer; `zcdp`: its rho. A fraction. */
export interface Spending {
  readonly unit: 'epsilon' | 'rho';
  readonly amount: string;
}

/** Rows as codes, one row after the other. */
export interface CodedTable {
  readonly sizes: readonly number[];
  readonly codes: Int32Array;
}

/** A noisy number, and how far it is from the exact one with a probability of 95 %. */
export interface NoisyValue {
  readonly value: number;
  readonly error: number;
}

export interface AnswerCell {
  readonly keys: readonly number[];
  readonly values: readonly NoisyValue[];
}

export type PrivacyAnswer =
  /** A count or a sum in units of the grid; for a mean, the sum and the count. */
  | { readonly kind: 'cells'; readonly cells: readonly AnswerCell[] }
  /**
   * Codes of the column. With a probability of 95 %, the rank of a quantile, and the count of each
   * chosen value against a better one, is off by `error` rows at most.
   */
  | { readonly kind: 'codes'; readonly codes: readonly number[]; readonly error: number }
  | {
      readonly kind: 'table';
      readonly rows: readonly (readonly number[])[];
      /** The pairs of columns whose dependence the table keeps. */
      readonly pairs: readonly (readonly [number, number])[];
      /** Of a count in a marginal of one column, and of a pair. */
      readonly error: { readonly column: number; readonly pair: number };
    };

export interface PrivacyTask {
  readonly table: CodedTable;
  readonly query: PrivacyQuery;
  readonly spending: Spending;
}
