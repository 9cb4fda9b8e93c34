import { describe, expect, it } from '@jest/globals';
import { rational } from '#platform/kernel/rational.js';
import { CryptoSource, WORD } from './random-source.js';
import { floorRoot, Samplers } from './samplers.js';

const samplers = new Samplers(new CryptoSource());
const SAMPLES = 40_000;
/** A chi-square value above its mean by six deviations: once in a hundred million runs. */
const DEVIATIONS = 6;

/** The chi-square statistic of draws against a probability, in its deviations from the mean. */
const surprise = (draw: () => number, weightOf: (value: number) => number, last: number) => {
  const values = Array.from({ length: 2 * last + 1 }, (_, at) => at - last);
  const weights = values.map(weightOf);
  // The tails beyond the last value that is counted alone.
  let tail = 0;
  for (let value = last + 1; value < 40 * (last + 1); value += 1) tail += 2 * weightOf(value);
  const total = weights.reduce((sum, weight) => sum + weight, tail);
  const seen = new Map<number, number>();
  for (let at = 0; at < SAMPLES; at += 1) {
    const value = draw();
    const cell = Math.abs(value) > last ? Infinity : value;
    seen.set(cell, (seen.get(cell) ?? 0) + 1);
  }
  const cells = [...values.map((value, at) => [value, weights[at] ?? 0] as const)];
  const statistic = [...cells, [Infinity, tail] as const].reduce((sum, [value, weight]) => {
    const expected = (SAMPLES * weight) / total;
    return sum + ((seen.get(value) ?? 0) - expected) ** 2 / expected;
  }, 0);
  const freedom = cells.length;
  return (statistic - freedom) / Math.sqrt(2 * freedom);
};

describe('the discrete Laplace distribution', () => {
  it.each([
    [1n, 1n, 5],
    [7n, 2n, 14],
    [10n, 3n, 12],
  ])('with the scale %s/%s', (top, bottom, last) => {
    const scale = Number(top) / Number(bottom);
    const draw = () => Number(samplers.discreteLaplace(rational(top, bottom)));
    expect(surprise(draw, (value) => Math.exp(-Math.abs(value) / scale), last)).toBeLessThan(
      DEVIATIONS,
    );
  });

  // At 3 % it would be 2.8 deviations, which one run in sixteen takes for chance.
  it('is not mistaken for one whose scale is 10 % greater', () => {
    const draw = () => Number(samplers.discreteLaplace(rational(11n, 1n)));
    const weightOf = (value: number) => Math.exp(-Math.abs(value) / 10);
    expect(surprise(draw, weightOf, 40)).toBeGreaterThan(DEVIATIONS);
  });
});

describe('the discrete Gaussian distribution', () => {
  it.each([
    [1n, 1n, 3],
    [5n, 2n, 5],
    [10_001n, 1_000n, 9],
  ])('with the variance %s/%s', (top, bottom, last) => {
    const variance = Number(top) / Number(bottom);
    const draw = () => Number(samplers.discreteGaussian(rational(top, bottom)));
    const weightOf = (value: number) => Math.exp(-(value ** 2) / (2 * variance));
    expect(surprise(draw, weightOf, last)).toBeLessThan(DEVIATIONS);
  });
});

describe('a choice', () => {
  it('has the probabilities of the exponential mechanism', () => {
    const utilities = [0, -1, -3, 2];
    const seen = [0, 0, 0, 0];
    for (let at = 0; at < SAMPLES; at += 1) {
      const chosen = samplers.exponential(utilities, rational(1n, 2n));
      seen[chosen] = (seen[chosen] ?? 0) + 1;
    }
    const weights = utilities.map((utility) => Math.exp(utility / 2));
    const total = weights.reduce((sum, weight) => sum + weight);
    for (const [at, weight] of weights.entries()) {
      const chance = weight / total;
      const deviation = Math.sqrt(SAMPLES * chance * (1 - chance));
      expect(Math.abs((seen[at] ?? 0) - SAMPLES * chance)).toBeLessThan(5.5 * deviation);
    }
  });

  it('by weights never takes one of weight 0', () => {
    const seen = new Set(Array.from({ length: 1_000 }, () => samplers.weighted([0, 3, 0, 1, 0])));
    expect([...seen].toSorted()).toEqual([1, 3]);
  });
});

it('draws below every bound, in words and beyond', () => {
  const source = new CryptoSource();
  expect(source.belowWord(1)).toBe(0);
  for (const bound of [2n, 3n, 1_000n, BigInt(WORD), BigInt(WORD) + 1n, 1n << 200n]) {
    const drawn = Array.from({ length: 200 }, () => source.below(bound));
    expect(drawn.every((value) => value >= 0n && value < bound)).toBe(true);
    // The upper half is drawn too.
    expect(drawn.some((value) => 2n * value >= bound)).toBe(true);
  }
});

it('finds roots, rounded down', () => {
  for (const root of [0n, 1n, 2n, 10n ** 9n, 10n ** 30n + 7n]) {
    expect(floorRoot(root * root)).toBe(root);
    if (root > 0n) expect(floorRoot(root * root - 1n)).toBe(root - 1n);
  }
});
