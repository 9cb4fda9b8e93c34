import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { basisPointsOf, percentText } from './basis-points.js';

describe('a percentage', () => {
  it.each([
    ['0', 0],
    ['17.5', 1_750],
    ['17.05', 1_705],
    ['100', 10_000],
  ])('%s', (text, basisPoints) => {
    expect(basisPointsOf(text)).toBe(basisPoints);
  });

  it.each(['', '-1', '100.01', '1.234', '1,5', '15 %', '1e1'])('is not %j', (text) => {
    expect(() => basisPointsOf(text)).toThrow(InvalidArgumentError);
  });

  it('is shown without needless decimals', () => {
    expect(percentText(1_750)).toBe('17.5 %');
  });
});
