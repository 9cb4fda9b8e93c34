import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  divideRoundingUp,
  fromDecimal,
  inUsd,
  minus,
  parseUsd,
  plus,
  toDecimal,
  toUsd,
} from './money.js';

const micros = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

const written = (amount: bigint): string => {
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = (magnitude % 1_000_000n).toString().padStart(6, '0');
  return `${amount < 0n ? '-' : ''}${magnitude / 1_000_000n}.${fraction}`;
};

describe('money', () => {
  it('survives being written as a decimal and read again', () => {
    fc.assert(fc.property(micros, (amount) => fromDecimal(toDecimal(amount)) === amount));
  });

  it('is added and subtracted exactly as a decimal, whatever its size', () => {
    const amounts = fc.oneof(micros, fc.bigInt({ min: -1_000n, max: 1_000n }));
    fc.assert(
      fc.property(amounts, amounts, (one, other) => {
        expect(plus(toDecimal(one), toDecimal(other))).toBe(toDecimal(one + other));
        expect(minus(toDecimal(one), toDecimal(other))).toBe(toDecimal(one - other));
      }),
    );
  });

  it.each([
    ['9007199254740992', '1', '9007199254740993'],
    ['999999999999999', '999999999999999', '1999999999999998'],
    ['-5', '5', '0'],
  ])('of %s and %s is %s together', (one, other, sum) => {
    expect(plus(one, other)).toBe(sum);
  });

  it.each([
    [0n, '0.00 USD'],
    [12_500_000n, '12.50 USD'],
    [18n, '0.000018 USD'],
    [1_234_567n, '1.234567 USD'],
    [-500_000n, '-0.50 USD'],
    [9_007_199_254_740_993_000_001n, '9007199254740993.000001 USD'],
  ])('of %s micro-dollars is shown to people as %s', (amount, text) => {
    expect(inUsd(amount)).toBe(text);
  });

  it('is read exactly from dollars with up to six decimals', () => {
    fc.assert(fc.property(micros, (amount) => parseUsd(written(amount)) === amount));
  });

  it.each([
    ['10', 10_000_000n],
    [10, 10_000_000n],
    [0.1, 100_000n],
    ['0.15', 150_000n],
    [1e-6, 1n],
    ['1.2500000000', 1_250_000n],
    ['-2.5', -2_500_000n],
    [' 3 ', 3_000_000n],
  ])('reads %p dollars', (usd, amount) => {
    expect(parseUsd(usd)).toBe(amount);
  });

  it.each([
    '',
    '.5',
    '1.',
    '1,5',
    '1e3',
    '0x10',
    '0.0000001',
    1e-7,
    2e21,
    Number.NaN,
    Infinity,
    '$1',
  ])('rejects %p', (usd) => {
    expect(() => parseUsd(usd)).toThrow(RangeError);
  });

  it('is shown in dollars exactly up to nine billion', () => {
    expect(toUsd(9_007_199_254_740_991n)).toBe(9_007_199_254.740_991);
    expect(toUsd(1n)).toBe(0.000_001);
  });

  it('is divided in favour of the creditor', () => {
    const natural = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(natural, fc.bigInt({ min: 1n, max: 10n ** 12n }), (dividend, divisor) => {
        const quotient = divideRoundingUp(dividend, divisor);
        return quotient * divisor >= dividend && (quotient - 1n) * divisor < dividend;
      }),
    );
  });
});
