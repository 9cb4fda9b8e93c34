import { withoutTrailing } from './trailing.js';

/**
 * Purchase costs are finer than charges: a token costs millionths of a micro-dollar. They are an
 * integer count of pico-dollars (1 USD = 10^12): `bigint` in memory, a decimal string in events and
 * documents. A price in micro-dollars for a million tokens is exact in pico-dollars for one.
 */
export type PicoUsd = bigint;

export const PICO_USD_PER_MICRO_USD = 1_000_000n;
const DECIMALS = 12;
const PICO_USD_PER_USD = 10n ** BigInt(DECIMALS);

/** More digits are no cost, but an attack on the arithmetic. */
const EXPONENT_MAX = 30;
const DIGITS_MAX = 60;
const NUMBER = /^(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads a decimal number of units, as JSON or a price list writes it, and rounds half up.
 * @param picoPerUnit pico-dollars of one unit
 * @returns null unless it is a number in range that is not negative
 */
export const picoUsdOf = (written: string, picoPerUnit = PICO_USD_PER_USD): PicoUsd | null => {
  const match = NUMBER.exec(written.trim());
  if (!match || written.length > DIGITS_MAX) return null;
  const [, whole = '0', fraction = '', exponent = '0'] = match;
  const shift = Number(exponent) - fraction.length;
  if (Math.abs(shift) > EXPONENT_MAX + DIGITS_MAX) return null;
  const digits = BigInt(whole + fraction) * picoPerUnit;
  return shift >= 0 ? digits * 10n ** BigInt(shift) : halfUp(digits, 10n ** BigInt(-shift));
};

/** Neither argument is negative. */
export const halfUp = (dividend: bigint, divisor: bigint): bigint =>
  (2n * dividend + divisor) / (2n * divisor);

/** The exact amount in dollars: `12.5`, `-0.000018`, `0`. */
export const picoInUsd = (amount: PicoUsd): string => {
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = (magnitude % PICO_USD_PER_USD).toString().padStart(DECIMALS, '0');
  const decimals = withoutTrailing(fraction, '0');
  const whole = `${amount < 0n ? '-' : ''}${magnitude / PICO_USD_PER_USD}`;
  return decimals === '' ? whole : `${whole}.${decimals}`;
};
