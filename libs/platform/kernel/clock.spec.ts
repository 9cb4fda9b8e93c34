import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { instantAt } from './clock.js';

const dateOf = (atMs: number): string => new Date(atMs).toISOString();

describe('an instant', () => {
  it.each([
    ['the epoch', 0],
    ['the last millisecond of a day', Date.UTC(2026, 1, 28, 23, 59, 59, 999)],
    ['the first of the next', Date.UTC(2026, 2, 1)],
    ['a day before', Date.UTC(2026, 1, 28)],
    ['a fraction of a millisecond', Date.UTC(2026, 10, 26, 9, 8, 7, 6) + 0.75],
    ['a date before the epoch', -1],
    ['a year of five digits', Date.UTC(12_026, 0, 1)],
  ])('is written as a date writes it: %s', (_, atMs) => {
    expect(instantAt(atMs)).toBe(dateOf(Math.floor(atMs)));
  });

  it('is written as a date writes it, whatever was written before', () => {
    const atMs = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(fc.array(atMs), (all) => {
        expect(all.map(instantAt)).toEqual(all.map(dateOf));
      }),
    );
  });

  it('is none that no date has', () => {
    expect(() => instantAt(Number.NaN)).toThrow(RangeError);
  });
});
