/** Synthetic tables beside MST with the inference of mbi: how well they keep pairs of columns. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CryptoSource } from '#engines/privacy/random-source.js';
import { Samplers } from '#engines/privacy/samplers.js';
import { synthesize } from '#engines/privacy/synthesis.js';
import { rational } from '#platform/kernel/rational.js';

interface Recorded {
  readonly sizes: readonly number[];
  /** A digit for each cell, row by row. */
  readonly codes: string;
  readonly errors: readonly { readonly rho: string; readonly mean: number }[];
}

const { sizes, codes, errors } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'synthesis/vectors.json'), 'utf8'),
) as Recorded;

const columns = sizes.length;
const real = Array.from({ length: codes.length / columns }, (_, row) =>
  Array.from(codes.slice(row * columns, (row + 1) * columns), Number),
);
const table = { sizes, codes: Int32Array.from(real.flat()) };
const samplers = new Samplers(new CryptoSource());
const RUNS = 5;
/** Quipu draws each row by chance, and mbi rounds counts: many rows compare the models. */
const ROWS = 10_000;
/** Of the mean error of MST with mbi. */
const FACTOR_MAX = 1.75;

type Rows = readonly (readonly number[])[];

const sharesOf = (rows: Rows, one: number, other: number): readonly number[] => {
  const [first = 0, second = 0] = [sizes[one], sizes[other]];
  const shares = new Array<number>(first * second).fill(0);
  for (const row of rows) {
    const at = (row[one] ?? 0) * second + (row[other] ?? 0);
    shares[at] = (shares[at] ?? 0) + 1 / rows.length;
  }
  return shares;
};

/** The mean over all pairs of columns of the total variation distance to the real table. */
const errorOf = (made: Rows): number => {
  const gaps = sizes.flatMap((_, one) =>
    sizes.slice(one + 1).map((__, more) => {
      const [known, found] = [real, made].map((rows) => sharesOf(rows, one, one + 1 + more));
      const distance = known?.reduce(
        (sum, share, at) => sum + Math.abs(share - (found?.[at] ?? 0)),
        0,
      );
      return (distance ?? NaN) / 2;
    }),
  );
  return gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
};

const madeWith = (rho: string): Rows => {
  const budget = { unit: 'rho', amount: rational.parse(rho, 0) } as const;
  const made = synthesize(table, ROWS, budget, samplers);
  if (made.kind !== 'table') throw new Error('expected a table');
  return made.rows;
};

describe('synthetic tables', () => {
  it.each(errors)('keep pairs of columns as MST with mbi does, at rho $rho', ({ rho, mean }) => {
    const found = Array.from({ length: RUNS }, () => errorOf(madeWith(rho)));
    const own = found.reduce((sum, one) => sum + one, 0) / RUNS;
    expect(own / mean).toBeLessThan(FACTOR_MAX);
    // A table without the dependences of the rows is far from it.
    const shuffled = real.map((row, at) =>
      row.map((code, column) => real[(at + 37 * (column + 1)) % real.length]?.[column] ?? code),
    );
    expect(own).toBeLessThan(errorOf(shuffled));
  });
});
