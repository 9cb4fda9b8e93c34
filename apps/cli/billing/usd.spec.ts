import { describe, expect, it } from '@jest/globals';
import { inUsd } from './usd.js';

describe('an amount for people', () => {
  it.each([
    [0n, '0.00 USD'],
    [12_500_000n, '12.50 USD'],
    [18n, '0.000018 USD'],
    [1_234_567n, '1.234567 USD'],
    [-500_000n, '-0.50 USD'],
    [9_007_199_254_740_993_000_001n, '9007199254740993.000001 USD'],
  ])('shows %s micro-dollars as %s', (amount, text) => {
    expect(inUsd(amount)).toBe(text);
  });
});
