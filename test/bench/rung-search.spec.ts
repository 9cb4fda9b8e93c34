import { describe, expect, it } from '@jest/globals';
import {
  bestOf,
  largestOf,
  type Ladder,
  nextConnections,
  p99Within,
  type Rung,
  withoutStall,
} from './rung-search.js';

const rung = (connections: number, more: Partial<Rung> = {}): Rung => ({
  connections,
  requestsPerSecond: connections * 100,
  p99Ms: 1,
  stalled: 0,
  failures: 0,
  ...more,
});

/** Tries what the search asks for, on a peer whose answers depend on the load alone. */
const searched = (ladder: Ladder, peer: (connections: number) => Rung): readonly Rung[] => {
  const rungs: Rung[] = [];
  for (;;) {
    const connections = nextConnections(rungs, ladder);
    if (connections === undefined) return rungs;
    if (rungs.length > 40) throw new Error('the search does not end');
    rungs.push(peer(connections));
  }
};

const connectionsOf = (rungs: readonly Rung[]): readonly number[] =>
  rungs.map(({ connections }) => connections);

describe('the search for the load at which a condition still holds', () => {
  const bounds = [1, 5, 10, 50, 100];
  const ladder = { conditions: bounds.map(p99Within), first: 1, max: 256 };

  it('doubles the load until no condition holds, then halves the gap above each', () => {
    const linear = (connections: number) => rung(connections, { p99Ms: connections });
    expect(connectionsOf(searched(ladder, linear))).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 6, 5, 12, 10, 48, 56, 96, 112,
    ]);
  });

  it('finds for each bound a load within a quarter of the true one', () => {
    const linear = (connections: number) => rung(connections, { p99Ms: connections });
    const rungs = searched(ladder, linear);
    for (const bound of bounds) {
      const found = largestOf(rungs, p99Within(bound))?.connections ?? 0;
      expect(found).toBeLessThanOrEqual(bound);
      expect(found * 1.25).toBeGreaterThanOrEqual(bound - 1);
    }
  });

  it('ends at the largest load when everything holds, and after one try when nothing does', () => {
    const fast = searched({ ...ladder, max: 8 }, (connections) => rung(connections));
    expect(connectionsOf(fast)).toEqual([1, 2, 4, 8]);
    const slow = searched(ladder, (connections) => rung(connections, { p99Ms: 500 }));
    expect(connectionsOf(slow)).toEqual([1]);
  });

  it('tries at most two loads more for each condition, however the peer answers', () => {
    const doublings = 9;
    for (let seed = 1; seed <= 200; seed += 1) {
      const noisy = (connections: number) =>
        rung(connections, { p99Ms: ((connections * seed * 7919) % 997) / 5 });
      expect(searched(ladder, noisy).length).toBeLessThanOrEqual(doublings + 2 * bounds.length);
    }
  });

  it('counts the streams up to the first stall', () => {
    const stalls = (connections: number) =>
      rung(connections, { stalled: connections > 70 ? 1 : 0 });
    const rungs = searched({ conditions: [withoutStall], first: 16, max: 512 }, stalls);
    expect(connectionsOf(rungs)).toEqual([16, 32, 64, 128, 96, 80]);
    expect(largestOf(rungs, withoutStall)?.connections).toBe(64);
  });
});

describe('the figure of a condition', () => {
  const rungs = [
    rung(8, { requestsPerSecond: 900, p99Ms: 4 }),
    rung(16, { requestsPerSecond: 850, p99Ms: 5 }),
    rung(32, { requestsPerSecond: 1_000, p99Ms: 6 }),
    rung(64, { requestsPerSecond: 2_000, p99Ms: 4, failures: 1 }),
  ];

  it('is the most requests a second within the bound, which more connections may lower', () => {
    expect(bestOf(rungs, p99Within(5))?.connections).toBe(8);
    expect(bestOf(rungs, p99Within(10))?.connections).toBe(32);
  });

  it('is no figure of streams if none of them ended in the window', () => {
    expect(withoutStall(rung(4))).toBe(true);
    expect(withoutStall(rung(4, { requestsPerSecond: 0 }))).toBe(false);
  });

  it('does not exist where no load holds, and a wrong answer never counts', () => {
    expect(bestOf(rungs, p99Within(1))).toBeUndefined();
    expect(largestOf(rungs, p99Within(100))?.connections).toBe(32);
  });
});
