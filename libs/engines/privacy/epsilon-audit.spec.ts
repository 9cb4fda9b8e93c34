import { describe, expect, it } from '@jest/globals';
import { rational } from '#platform/kernel/rational.js';
import { epsilonOf } from './accountant.js';
import { answerQuery } from './answer-query.js';
import { type Audited, epsilonLowerBound } from './epsilon-audit.fixture.js';
import { type PrivacyQuery, type Spending } from './privacy.protocol.js';
import { CryptoSource } from './random-source.js';
import { Samplers } from './samplers.js';

const samplers = new Samplers(new CryptoSource());
const TERMS = { runs: 4_000, delta: 0, chance: 1e-6 };
const ROWS = 5;

/** A table of five rows of code 0, and one with a further row of the last code. */
const tables = [0, 1].map((more) => ({
  sizes: [11],
  codes: Int32Array.from({ length: ROWS + more }, (_, row) => (row < ROWS ? 0 : 10)),
}));

const answering =
  (query: PrivacyQuery, spending: Spending): Audited =>
  (neighbour) => {
    const table = tables[neighbour];
    if (!table) throw new Error('there are two tables');
    const answer = answerQuery({ table, query, spending }, samplers);
    if (answer.kind === 'codes') return answer.codes[0] ?? 0;
    if (answer.kind === 'cells') return answer.cells[0]?.values[0]?.value ?? 0;
    return answer.rows.filter(([code]) => code === 10).length;
  };

const COUNT = { kind: 'count', where: [], by: [] } as const;
const SUM = { kind: 'sum', where: [], by: [], column: 0, grid: { offset: 0, factor: 1 } } as const;
const MEDIAN = { kind: 'quantile', where: [], column: 0, permille: 500 } as const;
const TOP = { kind: 'top_k', where: [], column: 0, k: 1 } as const;
const TABLE = { kind: 'synthesize', rows: 4 } as const;

describe('the epsilon that the outputs show', () => {
  it.each([
    ['a count', COUNT],
    ['a sum', SUM],
    ['a median', MEDIAN],
    ['the most frequent value', TOP],
    ['a synthetic table', TABLE],
  ])('of %s is at most the claim', (_, query) => {
    const mechanism = answering(query, { unit: 'epsilon', amount: '1' });
    expect(epsilonLowerBound(mechanism, TERMS)).toBeLessThanOrEqual(1);
  });

  it.each([
    ['a count', COUNT],
    ['a sum', SUM],
  ])('of %s is near the claim, so the audit sees something', (_, query) => {
    const mechanism = answering(query, { unit: 'epsilon', amount: '1' });
    expect(epsilonLowerBound(mechanism, TERMS)).toBeGreaterThan(0.5);
  });

  it('of Gaussian noise is at most what the accountant converts to', () => {
    const delta = 0.01;
    const claim = epsilonOf(rational(1n, 2n), rational(1n, 100n)).toNumber();
    const mechanism = answering(COUNT, { unit: 'rho', amount: '1/2' });
    expect(epsilonLowerBound(mechanism, { ...TERMS, delta })).toBeLessThanOrEqual(claim);
  });
});

describe('the audit catches', () => {
  const laplace = (scale: bigint, parts = 1n) =>
    Number(samplers.discreteLaplace(rational(scale, parts)));
  const gaussian = () => Number(samplers.discreteGaussian(rational(1n)));
  const count = (more: 0 | 1) => ROWS + more;

  it.each<readonly [string, number, Audited]>([
    ['noise of half the scale', 1, (more) => count(more) + laplace(1n, 2n)],
    ['noise for a count on a sum of sensitivity 10', 1, (more) => 10 * more + laplace(1n)],
    [
      'noise that is cut at three, so that an output names its table',
      1,
      (more) => count(more) + Math.max(-3, Math.min(3, laplace(1n))),
    ],
    [
      'noise that two queries share, whose difference is exact',
      1,
      (more) => {
        const noise = laplace(1n);
        return 2 * count(more) + noise - (count(more) + noise);
      },
    ],
    [
      'an accountant that charges one of two answers',
      1,
      (more) => Math.min(count(more) + laplace(1n), count(more) + laplace(1n)),
    ],
    ['an accountant that takes rho for epsilon', 0.5, (more) => count(more) + gaussian()],
  ])('%s', (_, claim, broken) => {
    expect(epsilonLowerBound(broken, TERMS)).toBeGreaterThan(claim);
  });
});
