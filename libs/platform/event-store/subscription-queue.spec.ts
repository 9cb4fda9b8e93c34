import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from './event-store.port.js';
import { SubscriptionQueue } from './subscription-queue.js';

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

const group = (first: number, count: number, units = 10) => ({
  events: Array.from({ length: count }, (_, index) => recorded(first + index)),
  position: BigInt(first + count - 1),
  units,
});

describe('the queue of a subscription', () => {
  it('gives all that waits as one batch, in order', () => {
    const queue = new SubscriptionQueue();
    for (let first = 1; first <= 2_000; first += 2) queue.add(group(first, 2));
    const batch = queue.take();
    expect(batch?.position).toBe(2_000n);
    expect(batch?.events.map(({ position }) => Number(position))).toEqual(
      Array.from({ length: 2_000 }, (_, index) => index + 1),
    );
    expect(queue.take()).toBeNull();
  });

  it('moves the position where everything was filtered out', () => {
    const queue = new SubscriptionQueue();
    queue.add(group(1, 1));
    queue.add({ events: [], position: 7n, units: 0 });
    expect(queue.take()).toMatchObject({ events: [{ position: 1n }], position: 7n });
  });

  it.each([
    ['events', group(1, 4_096), 1, 1],
    ['characters', group(1, 1, 16 * 1_048_576), 1, 1],
  ])('has no room for more %s until they are taken', (_of, first, events, units) => {
    const queue = new SubscriptionQueue();
    expect(queue.hasRoomFor(first.events.length, first.units)).toBe(true);
    queue.add(first);
    expect(queue.hasRoomFor(events, units)).toBe(false);
    queue.take();
    expect(queue.hasRoomFor(first.events.length, first.units)).toBe(true);
  });
});
