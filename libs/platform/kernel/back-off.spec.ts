import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.js';

const pauses = (jitter: number, random: number): number[] =>
  [1, 2, 3, 4, 5].map((attempt) =>
    backOffMs({ firstMs: 100, maxMs: 1_000, jitter }, attempt, random),
  );

describe('the back-off', () => {
  it('doubles up to its longest pause', () => {
    const backOff = { firstMs: 100, maxMs: 1_000 };
    expect([1, 2, 3, 4, 5].map((attempt) => backOffMs(backOff, attempt))).toEqual([
      100, 200, 400, 800, 1_000,
    ]);
  });

  it('stays at its longest pause after any number of attempts', () => {
    expect(backOffMs({ firstMs: 100, maxMs: 1_000 }, 5_000)).toBe(1_000);
  });

  it.each([
    [0, 0, [100, 200, 400, 800, 1_000]],
    [0.5, 0, [50, 100, 200, 400, 500]],
    [0.5, 1, [100, 200, 400, 800, 1_000]],
    [1, 0, [0, 0, 0, 0, 0]],
    [1, 0.5, [50, 100, 200, 400, 500]],
  ])('with jitter %d and random %d pauses for %j', (jitter, random, expected) => {
    expect(pauses(jitter, random)).toEqual(expected);
  });
});
