import { describe, expect, it } from '@jest/globals';
import { depositIdOf, limitOf, prefixOf, reasonOf, startOfTailOf, usdOf } from './options.js';

describe('an amount in dollars', () => {
  it.each([
    ['10', 10_000_000n],
    ['12.50', 12_500_000n],
    ['0.000001', 1n],
    ['999999999999.999999', 999_999_999_999_999_999n],
  ])('reads %s', (text, amount) => {
    expect(usdOf(text)).toBe(amount);
  });

  it.each(['', 'ten', '1e3', '1,000', '.5', '5.', '0.0000001', '$5', 'Infinity'])(
    'refuses %j as no amount',
    (text) => {
      expect(() => usdOf(text)).toThrow('Expected dollars with at most 6 decimals');
    },
  );

  it.each(['0', '0.00', '-5'])('rejects %s as not above zero', (text) => {
    expect(() => usdOf(text)).toThrow('Expected an amount above zero');
  });

  it('rejects an amount too large for an event', () => {
    expect(() => usdOf('1000000000000')).toThrow('Expected less than a million million dollars');
  });
});

describe('the start of a tail', () => {
  it('is a position or the end', () => {
    expect(startOfTailOf('0')).toBe(0n);
    expect(startOfTailOf('9223372036854775807')).toBe(2n ** 63n - 1n);
    expect(startOfTailOf('end')).toBe('end');
  });

  it.each(['', '-1', '1.5', '0x10', 'start', '9223372036854775808', '1'.repeat(20)])(
    'rejects %j',
    (text) => {
      expect(() => startOfTailOf(text)).toThrow('Expected a position in the log, or "end".');
    },
  );
});

describe('a limit', () => {
  it('is a whole number above zero', () => {
    expect(limitOf('1')).toBe(1);
    expect(limitOf('1000000')).toBe(1_000_000);
  });

  it.each(['', '0', '-1', '1.5', '1e3', '01', '9'.repeat(16)])('rejects %j', (text) => {
    expect(() => limitOf(text)).toThrow('Expected a whole number above zero.');
  });
});

describe('texts', () => {
  it('are at most as long as an event accepts', () => {
    expect(reasonOf('r'.repeat(500))).toHaveLength(500);
    expect(() => reasonOf('r'.repeat(501))).toThrow('Expected 1 to 500 characters.');
    expect(depositIdOf('d'.repeat(200))).toHaveLength(200);
    expect(() => depositIdOf('d'.repeat(201))).toThrow('Expected 1 to 200 characters.');
  });

  it('are not blank', () => {
    expect(() => reasonOf('')).toThrow('Expected 1 to 500 characters.');
    expect(() => depositIdOf(' ')).toThrow('Expected 1 to 200 characters.');
    expect(() => prefixOf('')).toThrow('Expected at least one character.');
    expect(prefixOf('account-')).toBe('account-');
  });
});
