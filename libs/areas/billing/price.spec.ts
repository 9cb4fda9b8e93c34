import { describe, expect, it } from '@jest/globals';
import { linesOf } from './account.specification.js';
import { affordable, priceOf } from './price.js';

const OUTPUT = { meter: 'output_tokens', atLeast: 1 } as const;

const line = (quantity: number, unitPriceMicroUsd: string, perUnits: number) => ({
  meter: 'seconds',
  quantity,
  unitPriceMicroUsd,
  perUnits,
});

describe('the price of lines', () => {
  it('is nothing for no lines', () => {
    expect(priceOf([])).toBe(0n);
  });

  it('is rounded up once, after the lines are added', () => {
    expect(priceOf(linesOf([1, 0]))).toBe(1n);
    expect(priceOf(linesOf([1, 1]))).toBe(1n);
    expect(priceOf(linesOf([2, 1]))).toBe(1n);
    expect(priceOf(linesOf([3, 1]))).toBe(2n);
  });

  it('adds lines of unlike units exactly', () => {
    // 1/3 + 1/7 + 11/21 = 1.
    expect(priceOf([line(1, '1', 3), line(1, '1', 7), line(11, '1', 21)])).toBe(1n);
    expect(priceOf([line(1, '1', 3), line(1, '1', 7), line(12, '1', 21)])).toBe(2n);
  });

  it('is exact where a double is not', () => {
    expect(priceOf([line(9_007_199_254_740_991, '999999999999', 1)])).toBe(
      9_007_199_254_740_991n * 999_999_999_999n,
    );
  });
});

describe('what is affordable', () => {
  it('is everything within the budget', () => {
    const lines = linesOf([1_000, 1_000]);
    expect(affordable(lines, OUTPUT, 750n)).toBe(lines);
  });

  it('is the largest output within the budget', () => {
    expect(affordable(linesOf([1_000, 1_000]), OUTPUT, 749n)).toEqual(linesOf([1_000, 998]));
  });

  it('is never less than the least, covered or not', () => {
    expect(affordable(linesOf([1_000, 1_000]), OUTPUT, 0n)).toEqual(linesOf([1_000, 1]));
  });

  it('leaves the lines alone when less than the least was wanted', () => {
    const lines = linesOf([1_000, 3]);
    expect(affordable(lines, { ...OUTPUT, atLeast: 3 }, 0n)).toBe(lines);
  });

  it('leaves the lines alone when none of them is of that meter', () => {
    const lines = linesOf([1_000, 1_000]);
    expect(affordable(lines, { meter: 'images', atLeast: 1 }, 0n)).toBe(lines);
  });
});
