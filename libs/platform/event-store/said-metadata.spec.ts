import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isInstant } from './said-metadata.js';

const wholeYears = { min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31') };

describe('the instant of an event', () => {
  it('is what toISOString writes', () => {
    fc.assert(
      fc.property(fc.date({ ...wholeYears, noInvalidDate: true }), (date) =>
        isInstant(date.toISOString()),
      ),
    );
  });

  it.each([
    ['2024-02-29T00:00:00.000Z', true],
    ['2026-12-31T23:59:59.999Z', true],
    ['2026-02-29T00:00:00.000Z', false],
    ['2026-04-31T00:00:00.000Z', false],
    ['2026-00-10T00:00:00.000Z', false],
    ['2026-13-10T00:00:00.000Z', false],
    ['2026-01-10T24:00:00.000Z', false],
    ['2026-01-10T23:60:00.000Z', false],
    ['2026-01-10T23:00:60.000Z', false],
    ['2026-01-10T23:00:00Z', false],
    ['2026-01-10T23:00:00.000Z ', false],
    [1_772_355_600_000, false],
  ])('%s: %s', (value, expected) => {
    expect(isInstant(value)).toBe(expected);
  });
});
