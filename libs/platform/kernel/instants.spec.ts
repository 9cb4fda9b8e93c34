import { describe, expect, it } from '@jest/globals';
import { earlier, later, msBetween, plusMs } from './instants.js';

const NOON = '2026-11-22T12:00:00.000Z';
const NEXT = '2026-11-23T00:00:00.001Z';

describe('instants', () => {
  it('move by milliseconds, over days', () => {
    expect(plusMs(NOON, 43_200_001)).toBe(NEXT);
    expect(plusMs(NEXT, -43_200_001)).toBe(NOON);
  });

  it('have a distance and an order', () => {
    expect(msBetween(NOON, NEXT)).toBe(43_200_001);
    expect(msBetween(NEXT, NOON)).toBe(-43_200_001);
    expect([later(NOON, NEXT), later(NEXT, NOON)]).toEqual([NEXT, NEXT]);
    expect([earlier(NOON, NEXT), earlier(NEXT, NOON)]).toEqual([NOON, NOON]);
  });
});
