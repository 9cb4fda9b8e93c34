import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { pointsOf, timespanMs, windowOf } from './timespan.js';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-03-05T10:07:30.000Z');

const shown = (timespan: string) => {
  const window = windowOf(timespanMs(timespan), NOW);
  const points = pointsOf(window).map((startMs) => new Date(startMs).toISOString().slice(5, 16));
  return [points.length, points[0], points.at(-1)];
};

describe('a timespan', () => {
  it.each([
    ['1h', HOUR_MS],
    ['24h', 24 * HOUR_MS],
    ['1d', 24 * HOUR_MS],
    ['365d', 365 * 24 * HOUR_MS],
    ['8760h', 365 * 24 * HOUR_MS],
  ])('%s has a length', (timespan, lengthMs) => {
    expect(timespanMs(timespan)).toBe(lengthMs);
  });

  it.each(['', '0h', '1', 'h', '-1d', '1.5h', '366d', '8761h', '01d', '1w', '1D', ' 1d', '1d '])(
    'is not %j',
    (timespan) => {
      expect(() => timespanMs(timespan)).toThrow(DomainError);
      expect(() => timespanMs(timespan)).toThrow(/timespan must be hours or days/);
    },
  );

  it('ends at the last full five minutes', () => {
    const { fromMs, toMs } = windowOf(HOUR_MS, NOW);
    expect(new Date(toMs).toISOString()).toBe('2026-03-05T10:05:00.000Z');
    expect(toMs - fromMs).toBe(HOUR_MS);
  });

  it.each([
    ['1h', 12, '03-05T09:05', '03-05T10:00'],
    ['24h', 49, '03-04T10:00', '03-05T10:00'],
    ['3d', 73, '03-02T10:00', '03-05T10:00'],
    ['7d', 8, '02-26T00:00', '03-05T00:00'],
    ['365d', 366, '03-05T00:00', '03-05T00:00'],
  ])('of %s has %d points', (timespan, count, first, last) => {
    expect(shown(timespan)).toEqual([count, first, last]);
  });
});
