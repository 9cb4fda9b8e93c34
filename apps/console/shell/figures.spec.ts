import { expect, it } from '@jest/globals';
import { count, instant, usd, usdOfMicro } from './figures.js';

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

it('shows instants without letters', () => {
  expect(instant('2026-11-26T09:59:12.994Z')).toBe('2026-11-26 09:59:12.994');
});

it.each([
  ['17', '$0.000017'],
  ['-10000000', '-$10.00'],
  ['9007199254740993000001', '$9,007,199,254,740,993.000001'],
])('shows %s micro-dollars as %s', (amount, shown) => {
  expect(usdOfMicro(amount)).toBe(shown);
});
