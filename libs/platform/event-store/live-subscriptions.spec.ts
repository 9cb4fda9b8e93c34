import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type EventFilter, type RecordedEvent } from './event-store.port.js';
import { LiveSubscriptions } from './live-subscriptions.js';
import { LogSubscription } from './log-subscription.js';
import { PositionDemand } from './position-demand.js';
import { type EventGroup } from './subscription-queue.js';

const recorded = (position: number, type: string, stream = 'job-1'): RecordedEvent => ({
  id: `event-${position}`,
  type,
  data: {},
  metadata: { version: 1, correlationId: 'a', causationId: 'a', requestId: 'a', actor: 'cli' },
  stream,
  revision: BigInt(position),
  position: BigInt(position),
  recordedAt: '2026-01-02T03:04:05.006Z',
});

const group = (...events: readonly RecordedEvent[]): EventGroup => ({
  events,
  position: events.at(-1)?.position ?? 0n,
  units: 10,
});

const byType = (...prefixes: readonly string[]): EventFilter => ({ by: 'type', prefixes });

/** A live subscription that has taken everything before. */
const joined = (
  live: LiveSubscriptions,
  filter?: EventFilter,
  positions?: PositionDemand,
): LogSubscription => {
  const subscription = new LogSubscription({
    after: live.position,
    ...(filter && { filter }),
    ...(positions && { positions }),
  });
  live.join(subscription);
  subscription.advance([], live.position, live);
  return subscription;
};

const taken = (subscription: LogSubscription): readonly number[] =>
  (subscription.take()?.events ?? []).map(({ position }) => Number(position));

describe('live subscriptions', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('get the events that they read, and share the position', () => {
    const live = new LiveSubscriptions(0n);
    const charges = joined(live, byType('Hold', 'Credit'));
    const users = joined(live, byType('User'));
    const accounts = joined(live, { by: 'stream', prefixes: ['account-'] });
    const all = joined(live);
    live.offer(group(recorded(1, 'HoldPlaced', 'account-1'), recorded(2, 'UserAdded')));
    live.offer(group(recorded(3, 'HoldCaptured', 'job-1')));
    expect(taken(charges)).toEqual([1, 3]);
    expect(taken(users)).toEqual([2]);
    expect(taken(accounts)).toEqual([1]);
    expect(taken(all)).toEqual([1, 2, 3]);
    expect([charges, users, accounts, all].map(({ position }) => position)).toEqual(
      Array.from({ length: 4 }, () => 3n),
    );
  });

  it('get nothing that they had read before they were live', () => {
    const live = new LiveSubscriptions(0n);
    const ahead = new LogSubscription({});
    live.join(ahead);
    ahead.advance([], 2n, live);
    live.offer(group(recorded(1, 'A'), recorded(2, 'A'), recorded(3, 'A')));
    expect(taken(ahead)).toEqual([3]);
  });

  it('learn of a subscription that joins later, and forget one that has left', () => {
    const live = new LiveSubscriptions(0n);
    const first = joined(live, byType('A'));
    live.offer(group(recorded(1, 'A')));
    const second = joined(live, byType('A'));
    live.offer(group(recorded(2, 'A')));
    live.leave(first);
    live.offer(group(recorded(3, 'A')));
    expect(taken(first)).toEqual([1, 2]);
    expect(taken(second)).toEqual([2, 3]);
  });

  it('fall behind alone, before the event for which there was no room', () => {
    const live = new LiveSubscriptions(0n);
    const slow = joined(live, byType('A'));
    const other = joined(live, byType('B'));
    for (let position = 1; position <= 4_096; position += 1)
      live.offer(group(recorded(position, 'A')));
    // Positions have gaps, where a server does not read.
    live.offer(group(recorded(4_197, 'B'), recorded(4_298, 'A'), recorded(4_399, 'B')));
    expect(slow.live).toBe(false);
    expect(slow.take()).toMatchObject({ position: 4_197n, caughtUp: false });
    expect(slow.take()).toBeNull();
    expect(other.live).toBe(true);
    expect(taken(other)).toEqual([4_197, 4_399]);
  });

  it('fall behind together where events were not offered', () => {
    const live = new LiveSubscriptions(5n);
    const one = joined(live);
    live.fallBehind(900n);
    expect(one.live).toBe(false);
    expect(one.position).toBe(5n);
    expect(live.position).toBe(900n);
  });

  it('are woken for a position only while their consumer waits for it, or once a second', () => {
    const live = new LiveSubscriptions(0n);
    const demand = new PositionDemand();
    const quiet = joined(live, byType('A'), demand);
    const eager = joined(live, byType('A'));
    live.offer(group(recorded(1, 'B')));
    expect(quiet.take()).toBeNull();
    expect(eager.take()).toEqual({ events: [], position: 1n, caughtUp: true });
    demand.open();
    expect(quiet.take()).toEqual({ events: [], position: 1n, caughtUp: true });
    expect(quiet.take()).toBeNull();
    demand.close();
    live.offer(group(recorded(2, 'B')));
    expect(quiet.take()).toBeNull();
    jest.advanceTimersByTime(1_000);
    expect(quiet.take()).toEqual({ events: [], position: 2n, caughtUp: true });
    expect(quiet.take()).toBeNull();
  });

  it('deliver events with the position, also without a demand', () => {
    const live = new LiveSubscriptions(0n);
    const quiet = joined(live, byType('A'), new PositionDemand());
    live.offer(group(recorded(1, 'A'), recorded(2, 'B')));
    expect(quiet.take()).toMatchObject({ events: [{ position: 1n }], position: 2n });
  });

  it('wake a consumer that begins to wait', async () => {
    const live = new LiveSubscriptions(0n);
    const demand = new PositionDemand();
    const quiet = joined(live, byType('A'), demand);
    live.offer(group(recorded(1, 'B')));
    const news = quiet.news();
    demand.open();
    await news;
    expect(quiet.take()).toMatchObject({ position: 1n });
    const next = quiet.news();
    live.offer(group(recorded(2, 'B')));
    await next;
    expect(quiet.take()).toMatchObject({ position: 2n });
  });

  it('need no timer while the log does not change', () => {
    const live = new LiveSubscriptions(0n);
    const quiet = joined(live, byType('A'), new PositionDemand());
    live.offer(group(recorded(1, 'B')));
    jest.advanceTimersByTime(1_000);
    quiet.take();
    expect(jest.getTimerCount()).toBe(0);
    live.offer(group(recorded(2, 'B')));
    expect(jest.getTimerCount()).toBe(1);
    live.leave(quiet);
    expect(jest.getTimerCount()).toBe(0);
  });
});
