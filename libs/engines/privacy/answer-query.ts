import { type Rational, rational } from '#platform/kernel/rational.js';
import { countsBy, keysOf, sumsBy, testOf, codeAt } from './coded-rows.js';
import { amountOf, CHANCE, choiceError, choiceRate, type Noise, noiseOf } from './noise.js';
import {
  type CodedTable,
  type PrivacyAnswer,
  type PrivacyQuery,
  type PrivacyTask,
} from './privacy.protocol.js';
import { type Samplers } from './samplers.js';
import { synthesize } from './synthesis.js';

export type Mechanism = 'discrete_laplace' | 'discrete_gaussian' | 'exponential' | 'marginal_tree';

/** How an answer spends its amount. One row moves the exact answer by `sensitivity` at most. */
export interface QueryPlan {
  readonly mechanism: Mechanism;
  readonly sensitivity: number;
}

/** Sums stay exact as numbers below this sensitivity, for every table. */
export const SENSITIVITY_MAX = 2 ** 32;

export const planOf = (
  query: PrivacyQuery,
  unit: PrivacyTask['spending']['unit'],
  sizes: readonly number[],
): QueryPlan => {
  const numeric = unit === 'epsilon' ? 'discrete_laplace' : 'discrete_gaussian';
  switch (query.kind) {
    case 'count':
      return { mechanism: numeric, sensitivity: 1 };
    case 'sum': {
      const { offset, factor } = query.grid;
      const last = offset + factor * ((sizes[query.column] ?? 1) - 1);
      const sensitivity = Math.max(Math.abs(offset), Math.abs(last), 1);
      return { mechanism: numeric, sensitivity };
    }
    case 'mean':
      return { mechanism: numeric, sensitivity: halfStepsOf(sizes, query.column) };
    case 'quantile':
    case 'top_k':
      return { mechanism: 'exponential', sensitivity: 1 };
    case 'synthesize':
      return { mechanism: 'marginal_tree', sensitivity: 1 };
  }
};

/** From the middle of a column to its ends. */
const halfStepsOf = (sizes: readonly number[], column: number): number =>
  Math.max(1, (sizes[column] ?? 1) - 1);

/** Answers with noise. The rows are read here, and nowhere else. */
export const answerQuery = (
  { table, query, spending }: PrivacyTask,
  samplers: Samplers,
): PrivacyAnswer => {
  const amount = amountOf(spending);
  const { unit } = spending;
  const { sensitivity } = planOf(query, unit, table.sizes);
  const noise = (part: Rational, of: number, chance = CHANCE): Noise =>
    noiseOf(unit, part, BigInt(of), chance);
  switch (query.kind) {
    case 'count': {
      const counts = countsBy(table, query.by, testOf(table, query.where));
      return cells(table, query.by, samplers, [[counts, noise(amount, 1)]]);
    }
    case 'sum': {
      const { offset, factor } = query.grid;
      const valueOf = (row: number): number => offset + factor * codeAt(table, row, query.column);
      const sums = sumsBy(table, query.by, testOf(table, query.where), valueOf);
      return cells(table, query.by, samplers, [[sums, noise(amount, sensitivity)]]);
    }
    case 'mean': {
      const half = amount.over(rational(2n));
      const test = testOf(table, query.where);
      const valueOf = (row: number): number => 2 * codeAt(table, row, query.column) - sensitivity;
      return cells(table, query.by, samplers, [
        [sumsBy(table, query.by, test, valueOf), noise(half, sensitivity, CHANCE / 2)],
        [countsBy(table, query.by, test), noise(half, 1, CHANCE / 2)],
      ]);
    }
    case 'quantile':
      return quantile(table, query, choiceRate(unit, amount), samplers);
    case 'top_k': {
      const rate = choiceRate(unit, amount.over(rational(BigInt(query.k))));
      return topK(table, query, rate, samplers);
    }
    case 'synthesize':
      return synthesize(table, query.rows, { unit, amount }, samplers);
  }
};

/** Numbers of disjoint cells: a row moves one cell of each. */
const cells = (
  table: CodedTable,
  by: readonly number[],
  samplers: Samplers,
  numbers: readonly (readonly [readonly number[], Noise])[],
): PrivacyAnswer => ({
  kind: 'cells',
  cells: Array.from({ length: numbers[0]?.[0].length ?? 0 }, (_, cell) => ({
    keys: keysOf(table, by, cell),
    values: numbers.map(([exact, noise]) => ({
      value: noise.addTo(exact[cell] ?? 0, samplers),
      error: noise.error,
    })),
  })),
});

/**
 * The code at which the rows below and the rows up to it are nearest to the asked part. A row moves
 * the distance, in thousandths of a row, by 1,000 at most, so the rate is for thousandths.
 */
const quantile = (
  table: CodedTable,
  query: Extract<PrivacyQuery, { readonly kind: 'quantile' }>,
  rate: Rational,
  samplers: Samplers,
): PrivacyAnswer => {
  const counts = countsBy(table, [query.column], testOf(table, query.where));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const target = query.permille * total;
  let below = 0;
  const utilities = counts.map((count) => {
    const upTo = below + count;
    // Zero where the target is between the two.
    const distance = Math.max(0, 1_000 * below - target, target - 1_000 * upTo);
    below = upTo;
    return -distance;
  });
  const chosen = samplers.exponential(utilities, rate.over(rational(1_000n)));
  return { kind: 'codes', codes: [chosen], error: choiceError(rate, counts.length) };
};

/** The codes with the most rows: one choice after the other, among the codes that are left. */
const topK = (
  table: CodedTable,
  query: Extract<PrivacyQuery, { readonly kind: 'top_k' }>,
  rate: Rational,
  samplers: Samplers,
): PrivacyAnswer => {
  const counts = countsBy(table, [query.column], testOf(table, query.where));
  const left = counts.map((count, code) => ({ count, code }));
  const codes: number[] = [];
  while (codes.length < query.k && left.length > 0) {
    const at = samplers.exponential(
      left.map(({ count }) => count),
      rate,
    );
    codes.push(left[at]?.code ?? 0);
    left.splice(at, 1);
  }
  return { kind: 'codes', codes, error: choiceError(rate, counts.length, query.k) };
};
