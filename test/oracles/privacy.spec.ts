/** Distributions and conversions that mpmath computed with 40 digits, against the privacy engine. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { epsilonOf } from '#engines/privacy/accountant.js';
import { logarithmAbove } from '#engines/privacy/logarithm.js';
import { CryptoSource } from '#engines/privacy/random-source.js';
import { Samplers } from '#engines/privacy/samplers.js';
import { rational } from '#platform/kernel/rational.js';

interface Recorded {
  readonly distributions: readonly {
    readonly kind: 'laplace' | 'gaussian';
    readonly top: number;
    readonly bottom: number;
    /** Of 0, 1, 2, … */
    readonly chances: readonly number[];
  }[];
  readonly conversions: readonly {
    readonly rho: string;
    readonly delta: string;
    readonly epsilon: number;
  }[];
  readonly logarithms: readonly { readonly value: string; readonly digits: string }[];
}

const { distributions, conversions, logarithms } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'privacy/vectors.json'), 'utf8'),
) as Recorded;

const samplers = new Samplers(new CryptoSource());
const decimal = (text: string) => rational.parse(text, 0);
const SAMPLES = 40_000;
/** A chi-square value above its mean by six deviations: about once in a hundred million runs. */
const DEVIATIONS = 6;
/** The bound that the accountant adds and its last shown digit. */
const SHOWN = 1.1e-6;

describe('samples', () => {
  it.each(distributions)('of $kind $top/$bottom have the chances', ({ kind, ...one }) => {
    const { top, bottom, chances } = one;
    const parameter = rational(BigInt(top), BigInt(bottom));
    const draw =
      kind === 'laplace'
        ? () => samplers.discreteLaplace(parameter)
        : () => samplers.discreteGaussian(parameter);
    const last = chances.length - 1;
    const seen = new Array<number>(2 * last + 2).fill(0);
    for (let at = 0; at < SAMPLES; at += 1) {
      const value = Number(draw());
      const cell = Math.abs(value) > last ? 2 * last + 1 : value + last;
      seen[cell] = (seen[cell] ?? 0) + 1;
    }
    const expected = Array.from({ length: 2 * last + 1 }, (_, cell) => {
      return chances[Math.abs(cell - last)] ?? 0;
    });
    const tail = 1 - expected.reduce((sum, chance) => sum + chance, 0);
    const statistic = [...expected, tail].reduce((sum, chance, cell) => {
      const mean = SAMPLES * chance;
      return sum + ((seen[cell] ?? 0) - mean) ** 2 / mean;
    }, 0);
    const freedom = expected.length;
    expect((statistic - freedom) / Math.sqrt(2 * freedom)).toBeLessThan(DEVIATIONS);
  });
});

describe('the accountant', () => {
  it.each(conversions)('converts rho $rho at delta $delta', ({ rho, delta, epsilon }) => {
    const found = epsilonOf(decimal(rho), decimal(delta)).toNumber();
    expect(found).toBeGreaterThanOrEqual(epsilon);
    expect(found).toBeLessThan(epsilon + SHOWN);
  });

  it.each(logarithms)('has a logarithm of $value that is not below', ({ value, digits }) => {
    const isNegative = digits.startsWith('-');
    const size = decimal(digits.replace('-', ''));
    const known = isNegative ? size.negated() : size;
    const excess = logarithmAbove(decimal(value)).plus(known.negated());
    // The record is rounded to 36 digits.
    const digit = rational(1n, 10n ** 30n);
    expect(excess.plus(digit).compare(rational(0n))).toBe(1);
    expect(excess.compare(digit)).toBe(-1);
  });
});
