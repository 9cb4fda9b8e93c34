import { type Rational, rational } from '#platform/kernel/rational.js';
import { type Spending } from './privacy.protocol.js';
import { floorRoot, type Samplers } from './samplers.js';

/** Noise for one number, or for many numbers of which a row moves only one. */
export interface Noise {
  /** The sum is rounded to a double after the noise is added: no digit of the exact one is left. */
  addTo(exact: number, samplers: Samplers): number;
  /** The noise is within it with a probability of 95 % at least. */
  readonly error: number;
}

export const CHANCE = 0.05;
/** Above this deviation the tail is not summed: P(|x| > m) <= 2 exp(-m^2 / (2 variance)). */
const DEVIATION_MAX = 100_000;
/** Rates of choices are multiples of 10^-12. */
const RATE_STEPS = 1_000_000_000_000n;

export const amountOf = ({ amount }: Spending): Rational => {
  const [top = '0', bottom = '1'] = amount.split('/');
  return rational(BigInt(top), BigInt(bottom));
};

/** The least m with P(|x| > m) <= chance: P(|x| >= m) = 2 a^m / (1 + a), where a = e^(-1/scale). */
const laplaceError = (scale: number, chance: number): number => {
  const ratio = Math.exp(-1 / scale);
  return Math.max(0, Math.ceil(scale * Math.log(2 / (chance * (1 + ratio)))) - 1);
};

const gaussianError = (variance: number, chance: number): number => {
  const deviation = Math.sqrt(variance);
  if (deviation > DEVIATION_MAX) return Math.ceil(deviation * Math.sqrt(2 * Math.log(2 / chance)));
  const weightOf = (value: number): number => Math.exp(-(value ** 2) / (2 * variance));
  const last = Math.ceil(12 * deviation) + 1;
  let total = 1;
  for (let value = 1; value <= last; value += 1) total += 2 * weightOf(value);
  let outside = total - 1;
  let bound = 0;
  while (outside > chance * total) {
    bound += 1;
    outside -= 2 * weightOf(bound);
  }
  return bound;
};

/**
 * The noise that spends an amount on numbers that one row moves by `sensitivity` at most.
 * @param chance of an error above `error`
 */
export const noiseOf = (
  unit: Spending['unit'],
  amount: Rational,
  sensitivity: bigint,
  chance = CHANCE,
): Noise => {
  if (unit === 'epsilon') {
    const scale = rational(sensitivity).over(amount);
    return {
      addTo: (exact, samplers) => Number(BigInt(exact) + samplers.discreteLaplace(scale)),
      error: laplaceError(scale.toNumber(), chance),
    };
  }
  const variance = rational(sensitivity * sensitivity).over(amount.times(rational(2n)));
  return {
    addTo: (exact, samplers) => Number(BigInt(exact) + samplers.discreteGaussian(variance)),
    error: gaussianError(variance.toNumber(), chance),
  };
};

/**
 * The rate of a choice by the exponential mechanism whose utilities one row moves by 1 at most:
 * epsilon / 2, where rho-zCDP allows the epsilon whose square is 8 rho.
 */
export const choiceRate = (unit: Spending['unit'], amount: Rational): Rational => {
  if (unit === 'epsilon') return amount.over(rational(2n));
  const square = amount.times(rational(8n * RATE_STEPS * RATE_STEPS));
  const root = floorRoot(square.numerator / square.denominator);
  return rational(root, RATE_STEPS).over(rational(2n));
};

/** A choice among `size` candidates is behind the best one by this at most, with 95 %. */
export const choiceError = (rate: Rational, size: number, choices = 1): number =>
  Math.ceil(Math.log((size * choices) / CHANCE) / rate.toNumber());
