import { type Rational, rational } from '#platform/kernel/rational.js';
import { countsBy } from './coded-rows.js';
import { choiceRate, type Noise, noiseOf } from './noise.js';
import { type CodedTable, type PrivacyAnswer, type Spending } from './privacy.protocol.js';
import { type Samplers } from './samplers.js';

/** Columns up to this size keep each of their values. */
const VALUES_KEPT_MAX = 100;
/** A larger column is divided into so many ranges of its domain. */
export const BINS_MAX = 32;
/** Weights of a draw are multiples of 2^-20 of the greatest. */
const WEIGHT_STEPS = 2 ** 20;

type Pair = readonly [number, number];

interface Budget {
  readonly unit: Spending['unit'];
  readonly amount: Rational;
}

/** The columns, each as at most `BINS_MAX` ranges of codes unless it is small. */
interface Binned {
  readonly table: CodedTable;
  /** The first code of a range, and of the one after it. */
  readonly rangeOf: (column: number, bin: number) => Pair;
}

/**
 * A synthetic table in the manner of MST (McKenna, Miklau and Sheldon, 2021): noisy counts of each
 * column; a tree of the pairs of columns that depend on each other most, each chosen by the
 * exponential mechanism; noisy counts of those pairs; rows drawn from the tree. Each of the three
 * gets a third of the amount. The ranges of large columns come from the domain, not from rows.
 */
export const synthesize = (
  exact: CodedTable,
  rows: number,
  { unit, amount }: Budget,
  samplers: Samplers,
): PrivacyAnswer => {
  const { table, rangeOf } = binned(exact);
  const columns = table.sizes.map((_, column) => column);
  const third = amount.over(rational(3n));
  const share = (parts: number): Rational => third.over(rational(BigInt(Math.max(1, parts))));
  const noise = noiseOf(unit, share(columns.length), 1n);
  const singles = columns.map((column) => noisy(countsBy(table, [column]), noise, samplers));
  const rate = choiceRate(unit, share(columns.length - 1));
  const pairs = treeOf(table, singles, rate, samplers);
  const pairNoise = noiseOf(unit, share(pairs.length), 1n);
  const doubles = pairs.map((pair) => noisy(countsBy(table, pair), pairNoise, samplers));
  const draw = rowDrawer(table.sizes, singles, { pairs, doubles }, samplers);
  const spread = (bin: number, column: number): number => {
    const [from, to] = rangeOf(column, bin);
    return from + samplers.below(to - from);
  };
  return {
    kind: 'table',
    rows: Array.from({ length: rows }, () => draw().map(spread)),
    pairs,
    error: { column: noise.error, pair: pairNoise.error },
  };
};

const binned = (table: CodedTable): Binned => {
  const widths = table.sizes.map((size) =>
    size > VALUES_KEPT_MAX ? Math.ceil(size / BINS_MAX) : 1,
  );
  const sizes = table.sizes.map((size, column) => Math.ceil(size / (widths[column] ?? 1)));
  const columns = sizes.length;
  const codes = Int32Array.from(table.codes, (code, at) =>
    Math.floor(code / (widths[at % columns] ?? 1)),
  );
  return {
    table: { sizes, codes },
    rangeOf: (column, bin) => {
      const width = widths[column] ?? 1;
      return [bin * width, Math.min((bin + 1) * width, table.sizes[column] ?? 1)];
    },
  };
};

const noisy = (counts: readonly number[], noise: Noise, samplers: Samplers): readonly number[] =>
  counts.map((count) => Math.max(0, noise.addTo(count, samplers)));

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Kruskal's tree, whose next edge is a noisy choice among the pairs that join two parts. */
const treeOf = (
  table: CodedTable,
  singles: readonly (readonly number[])[],
  rate: Rational,
  samplers: Samplers,
): readonly Pair[] => {
  const part = table.sizes.map((_, column) => column);
  const open = allPairs(table.sizes.length).map((pair) => ({
    pair,
    utility: dependence(table, pair, singles),
  }));
  const tree: Pair[] = [];
  while (tree.length < table.sizes.length - 1) {
    const joining = open.filter(({ pair: [one, other] }) => part[one] !== part[other]);
    const at = samplers.exponential(
      joining.map(({ utility }) => utility),
      rate,
    );
    const pair = joining[at]?.pair;
    if (!pair) break;
    tree.push(pair);
    const [kept, joined] = [part[pair[0]], part[pair[1]]];
    for (const [column, one] of part.entries()) if (one === joined) part[column] = kept ?? 0;
  }
  return tree;
};

const allPairs = (columns: number): readonly Pair[] =>
  Array.from({ length: columns }, (_, one) =>
    Array.from({ length: columns - one - 1 }, (__, more): Pair => [one, one + 1 + more]),
  ).flat();

/**
 * The distance of the counts of a pair from the counts of independent columns. The other side is made of
 * noisy counts and rounded, so one row moves the distance by 1 at most.
 */
const dependence = (
  table: CodedTable,
  [one, other]: Pair,
  singles: readonly (readonly number[])[],
): number => {
  const [first = [], second = []] = [singles[one], singles[other]];
  const across = Math.max(1, sumOf(second));
  const counts = countsBy(table, [one, other]);
  return counts.reduce((distance, count, cell) => {
    const row = first[Math.floor(cell / second.length)] ?? 0;
    const column = second[cell % second.length] ?? 0;
    const expected = Math.round((row * column) / across);
    return distance + Math.abs(count - expected);
  }, 0);
};

interface Tree {
  readonly pairs: readonly Pair[];
  readonly doubles: readonly (readonly number[])[];
}

/** Draws a row: a root of each part from its own counts, then each column given its parent. */
const rowDrawer = (
  sizes: readonly number[],
  singles: readonly (readonly number[])[],
  { pairs, doubles }: Tree,
  samplers: Samplers,
): (() => number[]) => {
  const steps = orderOf(sizes.length, pairs);
  const weights = new Map<string, readonly number[]>();
  const weightsOf = (column: number, edge: number, parent: number): readonly number[] => {
    const key = `${column}/${edge}/${parent}`;
    const known = weights.get(key);
    if (known) return known;
    const found = conditional(column, parent, edge, { sizes, singles, pairs, doubles });
    weights.set(key, found);
    return found;
  };
  return () => {
    const row = new Array<number>(sizes.length).fill(0);
    for (const { column, parent, edge } of steps) {
      const given = parent === null ? 0 : (row[parent] ?? 0);
      row[column] = samplers.weighted(weightsOf(column, edge, given));
    }
    return row;
  };
};

interface Step {
  readonly column: number;
  /** Null for a root. */
  readonly parent: number | null;
  /** The pair of column and parent; -1 for a root. */
  readonly edge: number;
}

/** The columns, each behind its parent. */
const orderOf = (columns: number, pairs: readonly Pair[]): readonly Step[] => {
  const steps: Step[] = [];
  const seen = new Set<number>();
  const visit = (column: number, parent: number | null, edge: number): void => {
    if (seen.has(column)) return;
    seen.add(column);
    steps.push({ column, parent, edge });
    for (const [next, [one, other]] of pairs.entries()) {
      if (one === column) visit(other, column, next);
      if (other === column) visit(one, column, next);
    }
  };
  for (let column = 0; column < columns; column += 1) visit(column, null, -1);
  return steps;
};

interface Marginals extends Tree {
  readonly sizes: readonly number[];
  readonly singles: readonly (readonly number[])[];
}

/** The weights of the values of a column, given a value of its parent. */
const conditional = (
  column: number,
  parent: number,
  edge: number,
  { sizes, singles, pairs, doubles }: Marginals,
): readonly number[] => {
  const own = singles[column] ?? [];
  const pair = pairs[edge];
  const counts = doubles[edge];
  if (!pair || !counts) return steppedWeights(own);
  const width = sizes[pair[1]] ?? 1;
  const given = Array.from({ length: sizes[column] ?? 1 }, (_, code) =>
    pair[0] === column ? counts[code * width + parent] : counts[parent * width + code],
  ).map((count) => count ?? 0);
  // Where noise left nothing of the pair, the column has its own counts.
  return steppedWeights(sumOf(given) > 0 ? given : own);
};

const steppedWeights = (counts: readonly number[]): readonly number[] => {
  const greatest = counts.reduce((most, count) => Math.max(most, count), 0);
  if (greatest === 0) return counts.map(() => 1);
  return counts.map((count) => Math.round((count / greatest) * WEIGHT_STEPS));
};
