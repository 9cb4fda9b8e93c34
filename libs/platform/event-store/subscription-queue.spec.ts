import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from './event-store.port.js';
import { type EventGroup, SubscriptionQueue } from './subscription-queue.js';

const recorded = (position: number): RecordedEvent => ({
  id: `event-${position}`,
  type: 'Counted',
  data: {},
  metadata: { version: 1, correlationId: 'a', causationId: 'a', requestId: 'a', actor: 'cli' },
  stream: 'job-1',
  revision: BigInt(position),
  position: BigInt(position),
  recordedAt: '2026-01-02T03:04:05.006Z',
});

const group = (first: number, count: number, units = 10): EventGroup => ({
  events: Array.from({ length: count }, (_, index) => recorded(first + index)),
  position: BigInt(first + count - 1),
  units,
});

/** Adds every event of the group. @returns whether there was room for all of them */
const addAll = (queue: SubscriptionQueue, added: EventGroup): boolean =>
  added.events.map((event) => queue.add(event, added)).every(Boolean);

describe('the queue of a subscription', () => {
  it('gives all that waits as one batch, in order', () => {
    const queue = new SubscriptionQueue();
    for (let first = 1; first <= 2_000; first += 2) addAll(queue, group(first, 2));
    expect(queue.take().map(({ position }) => Number(position))).toEqual(
      Array.from({ length: 2_000 }, (_, index) => index + 1),
    );
    expect(queue.take()).toEqual([]);
  });

  it.each([
    ['events', group(1, 4_096), 1],
    ['characters', group(1, 1, 16 * 1_048_576), 1],
  ])('has no room for more %s until they are taken', (_of, first, units) => {
    const queue = new SubscriptionQueue();
    expect(addAll(queue, first)).toBe(true);
    const next = group(5_000, 1, units);
    expect(addAll(queue, next)).toBe(false);
    queue.take();
    expect(addAll(queue, next)).toBe(true);
  });

  it('counts the characters of a group once, however many of its events are wanted', () => {
    const queue = new SubscriptionQueue();
    expect(addAll(queue, group(1, 100, 8 * 1_048_576))).toBe(true);
    expect(addAll(queue, group(101, 100, 8 * 1_048_576))).toBe(true);
    expect(addAll(queue, group(201, 1, 1))).toBe(false);
  });
});
