import { describe, expect, it } from '@jest/globals';
import { rational } from '#platform/kernel/rational.js';
import { epsilonAbove, epsilonBelow, epsilonOf, rhoLimitOf, rhoOfPure } from './accountant.js';
import { logarithmAbove } from './logarithm.js';

const decimal = (text: string) => rational.parse(text, 0);

describe('the logarithm', () => {
  it.each([
    ['1', 0],
    ['2', Math.LN2],
    ['0.5', -Math.LN2],
    ['0.000001', Math.log(1e-6)],
    ['123456.789', Math.log(123_456.789)],
    ['0.999999', Math.log(0.999999)],
  ])('of %s is close, and never below', (text, value) => {
    const found = logarithmAbove(decimal(text));
    expect(found.toNumber()).toBeCloseTo(value, 13);
    if (text === '1') expect(found.compare(rational(0n))).toBe(1);
  });

  it('is exact to 30 digits, as mpmath 1.3 has them', () => {
    // mp.dps = 40: nstr(log(10), 36)
    const ln10 = decimal('2.30258509299404568401799145468436421');
    const difference = logarithmAbove(rational(10n)).plus(ln10.negated());
    expect(difference.compare(rational(0n))).toBe(1);
    expect(difference.compare(rational(1n, 10n ** 30n))).toBe(-1);
  });
});

describe('the conversion of zCDP', () => {
  // Google's dp_accounting and OpenDP use the same bound; the figures are its minimum in scipy.
  it.each([
    ['0.5', '0.000001'],
    ['0.1', '0.000001'],
    ['2.63', '0.0000000001'],
  ])('of rho %s at delta %s is below the classic bound, and close to its minimum', (rho, delta) => {
    const [r, d] = [Number(rho), Number(delta)];
    const classic = r + 2 * Math.sqrt(r * Math.log(1 / d));
    let best = Infinity;
    for (let log = -4; log < 6; log += 0.00001) {
      const excess = Math.exp(log);
      const order = 1 + excess;
      const bound = r * order - Math.log(order * d) / excess + Math.log(excess / order);
      best = Math.min(best, bound);
    }
    const found = epsilonOf(decimal(rho), decimal(delta)).toNumber();
    expect(found).toBeLessThan(classic);
    expect(found).toBeGreaterThanOrEqual(best - 1e-9);
    expect(found).toBeLessThan(best + 2e-6);
  });

  it('has a limit that converts to at most epsilon, and a step more does not', () => {
    const [epsilon, delta] = [decimal('3'), decimal('0.000001')];
    const limit = rhoLimitOf(epsilon, delta);
    expect(epsilonOf(limit, delta).compare(epsilon)).toBe(0);
    const more = limit.plus(rational(1n, 10n ** 6n));
    expect(epsilonOf(more, delta).compare(epsilon)).toBe(1);
  });

  it('rises with rho, and is 0 without one', () => {
    const delta = decimal('0.000001');
    const found = ['0', '0.000001', '0.001', '0.01', '0.1', '1', '5'].map((rho) =>
      epsilonOf(decimal(rho), delta).toNumber(),
    );
    expect(found[0]).toBe(0);
    expect(found.toSorted((a, b) => a - b)).toEqual(found);
    expect(new Set(found).size).toBe(found.length);
  });
});

it('shows epsilons against the analyst', () => {
  const third = rational(1n, 3n);
  expect(epsilonAbove(third).toDecimal().text).toBe('0.333334');
  expect(epsilonBelow(third).toDecimal().text).toBe('0.333333');
  expect(epsilonAbove(decimal('0.5')).compare(decimal('0.5'))).toBe(0);
  expect(rhoOfPure(decimal('0.1')).compare(decimal('0.005'))).toBe(0);
});
