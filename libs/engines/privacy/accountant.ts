import { type Rational, rational } from '#platform/kernel/rational.js';
import { logarithmAbove } from './logarithm.js';

/**
 * Composition of zero-concentrated differential privacy. Costs are exact fractions and add up
 * exactly; the conversion to epsilon is an upper bound that is computed with exact arithmetic.
 */
export const ACCOUNTANT_VERSION = 1;

const ZERO = rational(0n);
const ONE = rational(1n);
/** Epsilons are shown in steps of 10^-6. */
const EPSILON_STEPS = 1_000_000n;
/** A limit of rho is a multiple of 10^-12. */
const RHO_STEPS = 1_000_000_000_000n;
const ORDER_STEPS = 1_000_000;

/** To a multiple of 1/steps, not below the value. */
const roundedUp = (value: Rational, steps: bigint): Rational => {
  const whole = value.times(rational(steps)).negated().floor().negated();
  return whole.over(rational(steps));
};

/** An epsilon as it is shown, not below the exact one. */
export const epsilonAbove = (value: Rational): Rational => roundedUp(value, EPSILON_STEPS);

/** An epsilon as it is shown, not above the exact one. */
export const epsilonBelow = (value: Rational): Rational =>
  roundedUp(value.negated(), EPSILON_STEPS).negated();

/** Any order above 1 gives a valid bound; the best one is found in floating point. */
const bestOrder = (rho: number, delta: number): Rational => {
  const bound = (excess: number): number =>
    rho * (1 + excess) - Math.log((1 + excess) * delta) / excess - Math.log1p(1 / excess);
  let [low, high] = [Math.log(1e-6), Math.log(1e9)];
  for (let step = 0; step < 100; step += 1) {
    const third = (high - low) / 3;
    if (bound(Math.exp(low + third)) < bound(Math.exp(high - third))) high -= third;
    else low += third;
  }
  const excess = Math.max(1, Math.round(Math.exp(low) * ORDER_STEPS));
  return ONE.plus(rational(BigInt(excess), BigInt(ORDER_STEPS)));
};

/**
 * An epsilon such that rho-zCDP implies (epsilon, delta)-differential privacy: Proposition 12 of
 * Canonne, Kamath and Steinke (2020), at the best order, rounded up.
 */
export const epsilonOf = (rho: Rational, delta: Rational): Rational => {
  if (rho.compare(ZERO) === 0) return ZERO;
  const order = bestOrder(rho.toNumber(), delta.toNumber());
  const excess = order.plus(ONE.negated());
  const bound = rho
    .times(order)
    .plus(logarithmAbove(ONE.over(order.times(delta))).over(excess))
    .plus(logarithmAbove(excess.over(order)));
  return bound.compare(ZERO) <= 0 ? ZERO : epsilonAbove(bound);
};

/** The greatest rho, in steps of 10^-12, that implies (epsilon, delta)-differential privacy. */
export const rhoLimitOf = (epsilon: Rational, delta: Rational): Rational => {
  const rhoOf = (steps: bigint): Rational => rational(steps, RHO_STEPS);
  const fits = (steps: bigint): boolean => epsilonOf(rhoOf(steps), delta).compare(epsilon) <= 0;
  let [low, high] = [0n, 1n];
  while (fits(high)) [low, high] = [high, high * 2n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return rhoOf(low);
};

/** The cost in rho of a mechanism that is epsilon-differentially private. */
export const rhoOfPure = (epsilon: Rational): Rational => epsilon.times(epsilon).over(rational(2n));
