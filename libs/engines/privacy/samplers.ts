import { type Rational } from '#platform/kernel/rational.js';
import { type RandomSource, WORD } from './random-source.js';

/** Up to here, products with a number of draws are exact. */
const FAST = BigInt(WORD);

/** A fraction above 0. */
export type Fraction = Pick<Rational, 'numerator' | 'denominator'>;

/**
 * The exact samplers of Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
 * Privacy" (2020). They compare whole numbers only: no probability is rounded, so no low bit of
 * a float betrays the exact answer.
 */
export class Samplers {
  constructor(private readonly random: RandomSource) {}

  /** True with the probability `numerator / denominator`, which is at most 1. */
  bernoulli(numerator: bigint, denominator: bigint): boolean {
    return this.random.below(denominator) < numerator;
  }

  /** True with the probability exp(-numerator / denominator). */
  bernoulliExp(numerator: bigint, denominator: bigint): boolean {
    let left = numerator;
    for (; left > denominator; left -= denominator) {
      if (!this.#bernoulliExpOfFraction(1n, 1n)) return false;
    }
    return this.#bernoulliExpOfFraction(left, denominator);
  }

  /** The probability of a value v is proportional to exp(-|v| / scale). */
  discreteLaplace({ numerator: top, denominator: bottom }: Fraction): bigint {
    for (;;) {
      const remainder = this.random.below(top);
      if (!this.#bernoulliExpOfFraction(remainder, top)) continue;
      let wholes = 0n;
      while (this.#bernoulliExpOfFraction(1n, 1n)) wholes += 1n;
      const size = (remainder + top * wholes) / bottom;
      const isNegative = this.bernoulli(1n, 2n);
      // Zero has one sign.
      if (isNegative && size === 0n) continue;
      return isNegative ? -size : size;
    }
  }

  /** The probability of a value v is proportional to exp(-v^2 / (2 variance)). */
  discreteGaussian({ numerator: top, denominator: bottom }: Fraction): bigint {
    const scale = floorRoot(top / bottom) + 1n;
    const laplace = { numerator: scale, denominator: 1n };
    for (;;) {
      const drawn = this.discreteLaplace(laplace);
      const size = drawn < 0n ? -drawn : drawn;
      // exp(-(|y| - variance / scale)^2 / (2 variance)), in whole numbers
      const distance = size * scale * bottom - top;
      if (this.bernoulliExp(distance * distance, 2n * top * bottom * scale * scale)) return drawn;
    }
  }

  /**
   * One of the candidates: the probability of a utility u is proportional to exp(u * rate).
   * @param utilities whole numbers
   */
  exponential(utilities: readonly number[], { numerator, denominator }: Fraction): number {
    const best = utilities.reduce((most, utility) => Math.max(most, utility), -Infinity);
    for (;;) {
      const index = Number(this.random.below(BigInt(utilities.length)));
      const behind = BigInt(best - (utilities[index] ?? best));
      if (this.bernoulliExp(behind * numerator, denominator)) return index;
    }
  }

  /** A whole number from 0 up to but excluding the bound. */
  below(bound: number): number {
    return this.random.belowWord(bound);
  }

  /** An index with the probability of its weight, of which one is above 0. */
  weighted(weights: readonly number[]): number {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let left = this.random.belowWord(total);
    for (const [index, weight] of weights.entries()) {
      if (left < weight) return index;
      left -= weight;
    }
    return weights.length - 1;
  }

  /** For a fraction of at most 1. */
  #bernoulliExpOfFraction(numerator: bigint, denominator: bigint): boolean {
    if (denominator <= FAST) return this.#fastBernoulliExp(Number(numerator), Number(denominator));
    let draws = 1n;
    while (this.bernoulli(numerator, denominator * draws)) draws += 1n;
    return draws % 2n === 1n;
  }

  /** The same in numbers, as long as the bound of a draw is a word. */
  #fastBernoulliExp(numerator: number, denominator: number): boolean {
    let draws = 1;
    while (this.#fastBernoulli(numerator, denominator * draws)) draws += 1;
    return draws % 2 === 1;
  }

  #fastBernoulli(numerator: number, denominator: number): boolean {
    return denominator <= WORD
      ? this.random.belowWord(denominator) < numerator
      : this.bernoulli(BigInt(numerator), BigInt(denominator));
  }
}

/** The root of a whole number, rounded down. */
export const floorRoot = (value: bigint): bigint => {
  if (value < 2n) return value;
  // Newton's steps fall from above until the root is reached.
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
};
