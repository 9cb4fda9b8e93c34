import { withoutTrailing } from './trailing.js';

/**
 * Money is an integer count of micro-dollars (1 USD = 1,000,000): `bigint` in memory, a decimal
 * string in events and documents, a number only in the JSON of the promised response shapes.
 */
export type MicroUsd = bigint;

export const MICRO_USD_PER_USD = 1_000_000n;

/** A decimal string of micro-dollars, as events and documents carry it. */
export const toDecimal = (amount: MicroUsd): string => amount.toString();

export const fromDecimal = (decimal: string): MicroUsd => BigInt(decimal);

/** Integers of so many characters, and the sums of two of them, are exact as numbers. */
const EXACT_CHARACTERS = 15;

const areExact = (one: string, other: string): boolean =>
  one.length <= EXACT_CHARACTERS && other.length <= EXACT_CHARACTERS;

/** The sum of two decimal strings: readers of the log form dozens of them for a charge. */
export const plus = (sum: string, amount: string): string =>
  areExact(sum, amount)
    ? String(Number(sum) + Number(amount))
    : toDecimal(fromDecimal(sum) + fromDecimal(amount));

/** The difference of two decimal strings. */
export const minus = (sum: string, amount: string): string =>
  areExact(sum, amount)
    ? String(Number(sum) - Number(amount))
    : toDecimal(fromDecimal(sum) - fromDecimal(amount));

/** For response bodies only; exact up to 2^53 micro-dollars, about nine billion dollars. */
export const toUsd = (amount: MicroUsd): number => Number(amount) / 1e6;

/** For people: the exact amount, with two to six decimals: `12.50 USD`, `0.000018 USD`. */
export const inUsd = (amount: MicroUsd): string => {
  const magnitude = amount < 0n ? -amount : amount;
  const whole = magnitude / MICRO_USD_PER_USD;
  const fraction = (magnitude % MICRO_USD_PER_USD).toString().padStart(6, '0');
  const decimals = withoutTrailing(fraction, '0').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}${whole}.${decimals} USD`;
};

/**
 * Reads a dollar amount written in decimal, as a price list or a command line gives it.
 * @throws RangeError when it is not a plain decimal or is finer than a micro-dollar
 */
export const parseUsd = (usd: string | number): MicroUsd => {
  const match = /^(-?)(\d+)(?:\.(\d{1,6})0*)?$/.exec(plainDecimal(usd));
  if (!match) throw new RangeError(`not an amount in USD with at most 6 decimals: ${usd}`);
  const [, sign = '', whole = '0', fraction = ''] = match;
  const magnitude = BigInt(whole) * MICRO_USD_PER_USD + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -magnitude : magnitude;
};

/** Numbers below 1e-6 print with an exponent; `toFixed` undoes that without inventing digits. */
const plainDecimal = (usd: string | number): string => {
  if (typeof usd === 'string') return usd.trim();
  return String(usd).includes('e')
    ? withoutTrailing(withoutTrailing(usd.toFixed(20), '0'), '.')
    : String(usd);
};

/** Rounds up, in favour of the creditor. Neither argument is negative. */
export const divideRoundingUp = (dividend: bigint, divisor: bigint): bigint =>
  (dividend + divisor - 1n) / divisor;
