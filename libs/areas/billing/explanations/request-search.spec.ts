import { describe, expect, it } from '@jest/globals';
import {
  type EventStore,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { drawRequestId } from '#platform/runtime/commands/request-id.js';
import { findAccount, findRequest } from './request-search.js';

const START_MS = Date.parse('2026-11-01T00:00:00.000Z');
const EVENTS = 1_000_000n;
/** Positions of an event store have gaps. */
const GAP = 7n;
const PAGE = 512n;

/** A log of a million events, one each second, made when they are read. */
class LongLog {
  eventsRead = 0;
  reads = 0;

  constructor(
    private readonly requestId: string,
    private readonly placedAt: bigint,
  ) {}

  get store(): EventStore {
    return this as unknown as EventStore;
  }

  get places(): LogPlaces {
    return {
      sizeAt: (position) => Promise.resolve(position / GAP),
      positionAt: (size) => Promise.resolve(size * GAP),
    };
  }

  head(): Promise<bigint> {
    return Promise.resolve(EVENTS * GAP);
  }

  async *read(
    stream: string,
    { direction, from = 0n, maxCount }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly RecordedEvent[]> {
    if (stream !== 'account-7') return;
    if (direction === 'backwards') {
      yield this.#page(EVENTS - 1n, 1n);
      return;
    }
    yield* this.#pages(from, maxCount);
  }

  async *readAll({ after = 0n, maxCount }: ReadAllOptions = {}) {
    if (after % GAP !== 0n) throw new Error(`no event begins at ${after}`);
    yield* this.#pages(after / GAP, maxCount);
  }

  async *#pages(from: bigint, maxCount?: number): AsyncGenerator<readonly RecordedEvent[]> {
    const count = maxCount === undefined ? PAGE : BigInt(maxCount);
    for (let next = from; next < EVENTS; next += count) {
      yield this.#page(next, count);
      await Promise.resolve();
      if (maxCount !== undefined) return;
    }
  }

  #page(from: bigint, count: bigint): readonly RecordedEvent[] {
    this.reads += 1;
    const page: RecordedEvent[] = [];
    for (let n = from; n < from + count && n < EVENTS; n += 1n) page.push(this.#event(n));
    this.eventsRead += page.length;
    return page;
  }

  #event(revision: bigint): RecordedEvent {
    const isOurs = revision === this.placedAt || revision === this.placedAt + 20n;
    const id = isOurs ? this.requestId : `other-${revision}`;
    return {
      id: `event-${revision}`,
      type: revision === this.placedAt ? 'HoldPlaced' : 'HoldCaptured',
      data: { holdId: id },
      metadata: { version: 1, correlationId: id, causationId: id, requestId: id, actor: 'spec' },
      stream: 'account-7',
      revision,
      position: (revision + 1n) * GAP,
      recordedAt: new Date(START_MS + Number(revision) * 1_000).toISOString(),
    };
  }
}

describe('the search for a request', () => {
  it.each([3n, 700_000n, EVENTS - 21n])(
    'finds its events from revision %d of a million with few reads',
    async (placedAt) => {
      const requestId = drawRequestId(START_MS + Number(placedAt) * 1_000);
      const log = new LongLog(requestId, placedAt);
      const found = await findRequest(log.store, requestId, '7');
      expect(found?.events.map(({ revision }) => revision)).toEqual([placedAt, placedAt + 20n]);
      expect(found?.complete).toBe(true);
      expect(log.reads).toBeLessThan(30);
      expect(log.eventsRead).toBeLessThan(600);
    },
  );

  it('finds them when the clock of the log is behind', async () => {
    const requestId = drawRequestId(START_MS + 500_200 * 1_000);
    const log = new LongLog(requestId, 500_000n);
    expect((await findRequest(log.store, requestId, '7'))?.events).toHaveLength(2);
  });

  it('finds the account of a request in the whole log', async () => {
    const requestId = drawRequestId(START_MS + 700_000 * 1_000);
    const log = new LongLog(requestId, 700_000n);
    expect(await findAccount(log.store, log.places, requestId)).toBe('7');
    expect(log.reads).toBeLessThan(40);
    expect(log.eventsRead).toBeLessThan(600);
  });

  it('gives up soon for a request that is not there', async () => {
    const log = new LongLog('another', 700_000n);
    const requestId = drawRequestId(START_MS + 600_000 * 1_000);
    expect(await findRequest(log.store, requestId, '7')).toBeUndefined();
    expect(await findAccount(log.store, log.places, requestId)).toBeUndefined();
    expect(log.eventsRead).toBeLessThan(10_000);
  });
});
