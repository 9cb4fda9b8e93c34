import { describe, expect, it } from '@jest/globals';
import { hasDecimals } from './decimals.validator.js';

describe('the decimals of an amount', () => {
  it.each([0, 1, -1, 0.01, 12.34, 0.29, 100, 1_000_000_000.25])('may be %p', (value) => {
    expect(hasDecimals(value, 2)).toBe(true);
  });

  it.each([0.001, 12.345, 1e-7, 5e-324, Number.NaN, Infinity, '1', null, undefined, [1]])(
    'may not be %p',
    (value) => {
      expect(hasDecimals(value, 2)).toBe(false);
    },
  );

  it('may be micro-dollars', () => {
    expect(hasDecimals(0.000_001, 6)).toBe(true);
    expect(hasDecimals(1e-7, 6)).toBe(false);
    expect(hasDecimals(999_999_999.123_456, 6)).toBe(true);
  });
});
