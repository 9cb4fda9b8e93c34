import { describe, expect, it } from '@jest/globals';
import { PairComparison } from './pair-comparison.js';

const compared = (speculativeMs: number, plainMs: number, tokens = 10) => ({
  tokens,
  speculativeMs,
  plainTokens: tokens,
  plainMs,
});

describe('the comparison of a pair with plain decoding', () => {
  it('knows nothing before the first, which is due at once', () => {
    const comparison = new PairComparison(0.1);
    expect(comparison.result).toBeNull();
    expect(comparison.isDue(10)).toBe(true);
    expect(comparison.isDue(0)).toBe(false);
  });

  it('is the time of plain decoding for as many tokens over the time of the pair', () => {
    const comparison = new PairComparison(1);
    comparison.record({ tokens: 40, speculativeMs: 100, plainTokens: 10, plainMs: 20 });
    expect(comparison.result).toEqual({ speedup: 0.8, requests: 1 });
    comparison.record(compared(60, 240));
    expect(comparison.result).toEqual({ speedup: 2, requests: 2 });
  });

  it('takes no more than its share of the decoding time after the first', () => {
    const comparison = new PairComparison(0.1);
    let comparedMs = 0;
    for (let request = 1; request <= 200; request += 1) {
      comparison.decoded(100);
      if (!comparison.isDue(10)) continue;
      comparison.record(compared(100, 50));
      comparedMs += 50;
      expect(comparedMs).toBeLessThanOrEqual(Math.max(50, 0.1 * 100 * request));
    }
    expect(comparedMs).toBe(2_000);
  });

  it('forgets all but the latest requests', () => {
    const comparison = new PairComparison(1);
    comparison.record(compared(1_000, 1));
    for (let request = 0; request < 16; request += 1) comparison.record(compared(10, 20));
    expect(comparison.result).toEqual({ speedup: 2, requests: 16 });
  });

  it('never takes place without a share', () => {
    expect(new PairComparison(0).isDue(10)).toBe(false);
  });
});
