import { expect, it } from '@jest/globals';
import { count, usd } from './amounts.js';

it.each([
  [9.999987, '$9.999987'],
  [0, '$0.00'],
  ['-0.000013', '-$0.000013'],
  ['0.000000000001', '$0.000000000001'],
  ['123456789012345678.123456', '$123,456,789,012,345,678.123456'],
])('shows %j with every digit', (amount, shown) => {
  expect(usd(amount)).toBe(shown);
});

it('shows counts with their thousands', () => {
  expect(count(12_345.67)).toBe('12,345.7');
});
