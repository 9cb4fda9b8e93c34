import { type Rational, rational } from '#platform/kernel/rational.js';

/** Fractions of 2^-SCALE. */
const SCALE = 128n;
const ONE = 1n << SCALE;
/** Below this many units of 2^-SCALE: each of the 100 divisions is rounded by less than one. */
const ERROR = 1_024n;
const TERMS = 50n;

/** ln((1 + z) / (1 - z)) for z below 1/3, where 50 terms are exact to 2^-SCALE. */
const twiceArtanh = (z: bigint): bigint => {
  const square = (z * z) >> SCALE;
  let power = z;
  let sum = 0n;
  for (let term = 0n; term < TERMS; term += 1n) {
    sum += power / (2n * term + 1n);
    power = (power * square) >> SCALE;
  }
  return 2n * sum;
};

const LN_2 = twiceArtanh(ONE / 3n);

/** A number that is not below the natural logarithm of a positive number, and close to it. */
export const logarithmAbove = ({ numerator, denominator }: Rational): Rational => {
  let exponent = BigInt(numerator.toString(2).length - denominator.toString(2).length);
  const shifted = (by: bigint): bigint =>
    by >= 0n
      ? (numerator << SCALE) / (denominator << by)
      : (numerator << (SCALE - by)) / denominator;
  let mantissa = shifted(exponent);
  if (mantissa < ONE) {
    exponent -= 1n;
    mantissa = shifted(exponent);
  }
  const z = ((mantissa - ONE) << SCALE) / (mantissa + ONE);
  const size = exponent < 0n ? -exponent : exponent;
  return rational(twiceArtanh(z) + exponent * LN_2 + ERROR * (size + 2n), ONE);
};
