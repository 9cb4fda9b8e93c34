import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { type Contact, type Priority, sendMsOf } from './contact-plan.js';
import { type Route, type RouteSearch, routesOf } from './contact-routes.js';

const SECOND = 1_000;
const contact = (id: number, from: number, to: number, start: number, end: number): Contact => ({
  ...{ id: String(id), from: String(from), to: String(to) },
  ...{ startMs: start * SECOND, endMs: end * SECOND },
  ...{ bitsPerSecond: 1_000_000, lightMs: SECOND },
});

/** The 16 contacts of the tutorial of pyCGR, which NASA's HDTN tests with. */
const TUTORIAL: readonly Contact[] = (
  [
    [1, 2, 0, 60],
    [2, 1, 0, 60],
    [2, 3, 0, 60],
    [3, 2, 0, 60],
    [1, 3, 0, 60],
    [3, 1, 0, 60],
    [3, 4, 0, 30],
    [4, 3, 0, 30],
    [1, 5, 10, 20],
    [5, 1, 10, 20],
    [4, 5, 0, 10],
    [5, 4, 0, 10],
    [4, 5, 30, 40],
    [5, 4, 30, 40],
    [4, 5, 50, 60],
    [5, 4, 50, 60],
  ] as const
).map(([from, to, start, end], n) => contact(n, from, to, start, end));

const searchOf = (more: Partial<RouteSearch> = {}): RouteSearch => ({
  from: '1',
  to: '5',
  readyAtMs: 0,
  expiresAtMs: 3_600 * SECOND,
  bytes: 0,
  priority: 'normal',
  booked: new Map(),
  ...more,
});
const idsOf = (route: Route | undefined) => route?.hops.map(({ contact: { id } }) => Number(id));

describe('the routes of the tutorial', () => {
  it('are the seven of HDTN, with their delivery times', () => {
    const routes = routesOf(TUTORIAL, searchOf(), 8);
    expect(idsOf(routes[0])).toEqual([4, 6, 10]);
    expect(routes.map(({ arrivesAtMs }) => arrivesAtMs / SECOND)).toEqual([
      3, 4, 11, 31, 31, 51, 51,
    ]);
    const nextHops = routes.map(({ hops: [first] }) => first?.contact.to);
    expect(nextHops.slice(0, 3)).toEqual(['3', '2', '5']);
  });

  it('leave out contacts that are too short for the bundle', () => {
    // 1.5 MB take 12 s: no contact to node 5 lasts that long.
    expect(routesOf(TUTORIAL, searchOf({ bytes: 1_500_000 }), 8)).toEqual([]);
    // 0.5 MB take 4 s each: 4 s + 1 s, 4 s + 1 s, and node 4 has no 4 s left until 30 s.
    const [best] = routesOf(TUTORIAL, searchOf({ bytes: 500_000 }), 1);
    expect(idsOf(best)).toEqual([8]);
    expect(best?.arrivesAtMs).toBe(15 * SECOND);
  });

  it('end before the bundle expires', () => {
    const routes = routesOf(TUTORIAL, searchOf({ expiresAtMs: 12 * SECOND }), 8);
    expect(routes.map(idsOf)).toEqual([[4, 6, 10], [0, 2, 6, 10], [8]]);
    expect(routesOf(TUTORIAL, searchOf({ expiresAtMs: 2 * SECOND }), 8)).toEqual([]);
  });

  it('respect what bundles of the same or a higher priority have booked', () => {
    const free = 10_000;
    const volume = (10 * 1_000_000) / 8;
    const booked = new Map([['10', { bulk: 0, normal: volume - free, expedited: 0 }]]);
    const first = (bytes: number, priority: Priority) =>
      idsOf(routesOf(TUTORIAL, searchOf({ bytes, priority, booked }), 1)[0]);
    expect(first(free, 'normal')).toEqual([4, 6, 10]);
    expect(first(free + 1, 'normal')).toEqual([8]);
    expect(first(free + 1, 'bulk')).toEqual([8]);
    expect(first(free + 1, 'expedited')).toEqual([4, 6, 10]);
  });

  it('do not exist to an unknown node', () => {
    expect(routesOf(TUTORIAL, searchOf({ to: '9' }), 8)).toEqual([]);
  });
});

const plans = fc.array(
  fc
    .record({
      from: fc.integer({ min: 0, max: 4 }),
      to: fc.integer({ min: 0, max: 4 }),
      startMs: fc.integer({ min: 0, max: 50 }),
      durationMs: fc.integer({ min: 1, max: 30 }),
      lightMs: fc.integer({ min: 0, max: 10 }),
      bitsPerSecond: fc.constantFrom(4_000, 8_000, 16_000),
    })
    .filter(({ from, to }) => from !== to),
  { maxLength: 12 },
);

/** All routes without a node twice, by trying every contact at every node. */
const everyRoute = (plan: readonly Contact[], search: RouteSearch): readonly number[] => {
  const arrivals: number[] = [];
  const walk = (node: string, atMs: number, seen: readonly string[]): void => {
    if (node === search.to) {
      arrivals.push(atMs);
      return;
    }
    for (const one of plan.filter(({ from, to }) => from === node && !seen.includes(to))) {
      const sentAtMs = Math.max(one.startMs, atMs) + sendMsOf(one, search.bytes);
      const isOpen = Math.max(one.startMs, atMs) < one.endMs && sentAtMs <= one.endMs;
      if (isOpen && sentAtMs + one.lightMs <= search.expiresAtMs) {
        walk(one.to, sentAtMs + one.lightMs, [...seen, one.to]);
      }
    }
  };
  walk(search.from, search.readyAtMs, [search.from]);
  return arrivals.toSorted((one, other) => one - other);
};

describe('the search', () => {
  it('finds the arrivals that trying every path finds, the first ones first', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 0, max: 20 }), (drawn, bytes) => {
        const plan = drawn.map(({ durationMs, ...one }, n) => ({
          ...one,
          id: String(n),
          from: String(one.from),
          to: String(one.to),
          endMs: one.startMs + durationMs,
        }));
        const search = searchOf({ from: '0', to: '4', expiresAtMs: 70, bytes });
        const arrivals = routesOf(plan, search, 8).map(({ arrivesAtMs }) => arrivesAtMs);
        expect(arrivals).toEqual(everyRoute(plan, search).slice(0, 8));
      }),
      { numRuns: 500 },
    );
  });
});
