import { describe, expect, it } from '@jest/globals';
import { answerQuery, planOf } from './answer-query.js';
import { type CodedTable, type PrivacyQuery, type Spending } from './privacy.protocol.js';
import { CryptoSource } from './random-source.js';
import { Samplers } from './samplers.js';

const samplers = new Samplers(new CryptoSource());

/** 3,000 rows: a group of two, a number of 0 to 9 that follows the group, a coin. */
const table: CodedTable = {
  sizes: [2, 10, 2],
  codes: Int32Array.from({ length: 3_000 }, (_, at) => {
    const row = Math.floor(at / 3);
    const group = row % 3 === 0 ? 1 : 0;
    if (at % 3 === 0) return group;
    return at % 3 === 1 ? (row % 5) + 5 * group : Math.floor(row / 7) % 2;
  }),
};
const RICH: readonly Spending[] = [
  { unit: 'epsilon', amount: '1000' },
  { unit: 'rho', amount: '100000' },
];
const ask = (query: PrivacyQuery, spending: Spending) =>
  answerQuery({ table, query, spending }, samplers);
const exact = (query: PrivacyQuery, spending: Spending) => {
  const answer = ask(query, spending);
  if (answer.kind !== 'cells') throw new Error('no cells');
  return answer.cells.map(({ keys, values }) => [keys, values.map(({ value }) => value)]);
};

describe.each(RICH)('an answer without much noise, paid in $unit', (spending) => {
  it('counts the rows that pass, by declared keys', () => {
    expect(exact({ kind: 'count', where: [], by: [] }, spending)).toEqual([[[], [1_000]]]);
    expect(exact({ kind: 'count', where: [], by: [0] }, spending)).toEqual([
      [[0], [666]],
      [[1], [334]],
    ]);
    const where = [
      { column: 1, from: 0, to: 1 },
      { column: 0, codes: [0] },
    ];
    expect(exact({ kind: 'count', where, by: [] }, spending)).toEqual([[[], [266]]]);
    expect(exact({ kind: 'count', where: [], by: [0, 2] }, spending)).toHaveLength(4);
  });

  it('sums values of the grid', () => {
    const query = { where: [], by: [0], column: 1, grid: { offset: -3, factor: 2 } } as const;
    const rows = Array.from({ length: 1_000 }, (_, row) => row);
    const sumOf = (group: number) =>
      rows
        .filter((row) => Number(row % 3 === 0) === group)
        .reduce((sum, row) => sum - 3 + 2 * ((row % 5) + 5 * group), 0);
    const [zero, one] = exact({ kind: 'sum', ...query }, spending);
    // The sensitivity is 15: at this price the noise is seldom above 0.
    expect(zero?.[1]).toEqual([expect.closeTo(sumOf(0), -1)]);
    expect(one?.[1]).toEqual([expect.closeTo(sumOf(1), -1)]);
  });

  it('finds quantiles and the most frequent values', () => {
    const quantile = { kind: 'quantile', where: [], column: 1, permille: 500 } as const;
    expect(ask(quantile, spending)).toMatchObject({ kind: 'codes', codes: [3] });
    const top = { kind: 'top_k', where: [], column: 0, k: 2 } as const;
    expect(ask(top, spending)).toMatchObject({ kind: 'codes', codes: [0, 1] });
  });

  it('synthesizes rows whose pairs of columns depend on each other as the exact ones do', () => {
    const answer = ask({ kind: 'synthesize', rows: 2_000 }, spending);
    if (answer.kind !== 'table') throw new Error('no table');
    expect(answer.pairs).toHaveLength(2);
    expect(answer.pairs).toContainEqual([0, 1]);
    const isFitting = ([group = 0, value = 0]: readonly number[]) => value >= 5 === (group === 1);
    expect(answer.rows.filter(isFitting).length).toBeGreaterThan(1_980);
    const ones = answer.rows.filter(([group]) => group === 1).length;
    expect(Math.abs(ones - 668)).toBeLessThan(150);
    expect(answer.rows.every((row) => row.every((code, at) => code < (table.sizes[at] ?? 0)))).toBe(
      true,
    );
  });
});

describe('the interval of an answer', () => {
  it.each([
    ['epsilon', '1/4'],
    ['rho', '1/32'],
    ['epsilon', '5'],
    ['rho', '8'],
  ] as const)('of %s %s holds 95 % of the noise', (unit, amount) => {
    const query = { kind: 'count', where: [], by: [] } as const;
    let outside = 0;
    const runs = 4_000;
    for (let run = 0; run < runs; run += 1) {
      const answer = answerQuery(
        { table: { sizes: [2], codes: new Int32Array(0) }, query, spending: { unit, amount } },
        samplers,
      );
      if (answer.kind !== 'cells') throw new Error('no cells');
      const [noisy] = answer.cells[0]?.values ?? [];
      if (noisy && Math.abs(noisy.value) > noisy.error) outside += 1;
    }
    // Five deviations above 5 %.
    expect(outside).toBeLessThan(runs * 0.05 + 5 * Math.sqrt(runs * 0.0475));
  });
});

it('plans by the declared domain, never by the rows', () => {
  const grid = { offset: -30, factor: 2 };
  const sum = { kind: 'sum', where: [], by: [], column: 1, grid } as const;
  expect(planOf(sum, 'epsilon', [2, 10, 2])).toEqual({
    mechanism: 'discrete_laplace',
    sensitivity: 30,
  });
  expect(planOf({ kind: 'mean', where: [], by: [], column: 1 }, 'rho', [2, 10, 2])).toEqual({
    mechanism: 'discrete_gaussian',
    sensitivity: 9,
  });
});

it('rounds a sum after its noise, so no low digit of the exact sum is left', () => {
  const one: CodedTable = { sizes: [2 ** 20], codes: Int32Array.from([1]) };
  const grid = { offset: 0, factor: 4_096 };
  const query = { kind: 'sum', where: [], by: [], column: 0, grid } as const;
  // Noise of about 10^19 has no digit below 2^10 in a double.
  const spending = { unit: 'epsilon', amount: '1/1000000000' } as const;
  for (let run = 0; run < 20; run += 1) {
    const answer = answerQuery({ table: one, query, spending }, samplers);
    if (answer.kind !== 'cells') throw new Error('no cells');
    const value = answer.cells[0]?.values[0]?.value ?? 0;
    expect(Number.isInteger(value)).toBe(true);
  }
});
