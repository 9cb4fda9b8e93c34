import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { FaultyReadStore } from '../faulty-stores.fake.js';
import { movableClock } from '../stock.fixture.js';
import { Epochs, epochsOf } from './epochs.js';
import { PAGE_EVENTS } from './log-pages.js';
import { LogTimes, LogTimesKeeper } from './log-times.js';

const MINUTE_MS = 60_000;
const START = Date.parse('2026-01-01T00:00:00.000Z');
const minute = (index: number): string => new Date(START + index * MINUTE_MS).toISOString();

const metadata = { version: 1, correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'x' };

/** A log with one event at each of these minutes. */
const withLog = async (
  minutes: readonly number[],
  act: (eventStore: EventStore, events: readonly RecordedEvent[]) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-times-'));
  const clock = movableClock();
  const eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock });
  for (const [index, at] of minutes.entries()) {
    clock.nowMs = START + at * MINUTE_MS;
    const id = `00000000-0000-4000-8000-${index.toString().padStart(12, '0')}`;
    await eventStore.append('log-1', [{ id, type: 'Tick', data: {}, metadata }], 'any');
  }
  const events: RecordedEvent[] = [];
  for await (const page of eventStore.readAll()) events.push(...page);
  await act(eventStore, events);
  await eventStore.close();
  await rm(folder, { recursive: true });
};

const epochs = new Epochs(3n);

const kept = async (
  eventStore: EventStore,
  events: readonly RecordedEvent[],
): Promise<FaultyReadStore> => {
  const readStore = new FaultyReadStore();
  for (const event of events) {
    // A new keeper for each event, as after a restart.
    const keeper = new LogTimesKeeper(readStore, eventStore, () => Promise.resolve(epochs));
    const after = (await keeper.checkpoint()) ?? 0n;
    const left = events.filter((one) => one.position > after && one.position <= event.position);
    await keeper.handle({ events: left, position: event.position, caughtUp: true });
  }
  return readStore;
};

/** Remembers where the log was read from. */
const watched = (eventStore: EventStore): { store: EventStore; reads: bigint[] } => {
  const reads: bigint[] = [];
  const readAll: EventStore['readAll'] = (options) => {
    reads.push(options?.after ?? 0n);
    return eventStore.readAll(options);
  };
  return { store: { ...eventStore, readAll }, reads };
};

describe('the times of a log', () => {
  it('give the position of an instant, and read about one epoch for it', async () => {
    const minutes = Array.from({ length: 20 }, (_, index) => 2 * index);
    await withLog(minutes, async (eventStore, events) => {
      const readStore = await kept(eventStore, events);
      const { store, reads } = watched(eventStore);
      const times = new LogTimes(readStore, store);
      expect(await times.positionAt(minute(-1))).toBe(0n);
      expect(await times.positionAt(minute(0))).toBe(1n);
      expect(await times.positionAt(minute(25))).toBe(13n);
      expect(await times.positionAt(minute(99))).toBe(20n);
      expect(reads).toEqual([0n, 0n, 11n, 17n]);
    });
  });

  it('give the events of a position’s epoch up to it, and the latest instant there', async () => {
    await withLog([0, 5, 3, 4, 9, 6, 7, 8], async (eventStore, events) => {
      const readStore = await kept(eventStore, events);
      const { store, reads } = watched(eventStore);
      const stretch = await new LogTimes(readStore, store).upTo(7n, epochs);
      expect(stretch.events.map(({ position }) => position)).toEqual([6n, 7n]);
      expect(stretch.at).toBe(minute(9));
      expect(reads).toEqual([5n]);
    });
  });

  it('end before the first event that is later, where a clock went back', async () => {
    await withLog([0, 1, 9, 2, 3, 4, 5, 10], async (eventStore, events) => {
      const times = new LogTimes(await kept(eventStore, events), eventStore);
      expect(await times.positionAt(minute(5))).toBe(2n);
      expect(await times.positionAt(minute(9))).toBe(7n);
    });
  });

  it('are read once, as long as their pages are kept', async () => {
    const minutes = Array.from({ length: 2 * PAGE_EVENTS + 10 }, (_, index) => index);
    await withLog(minutes, async (eventStore) => {
      const { store, reads } = watched(eventStore);
      const times = new LogTimes(new FaultyReadStore(), store);
      const before = await times.upTo(300n, new Epochs(500n));
      expect(await times.upTo(300n, new Epochs(500n))).toEqual(before);
      expect(await times.positionAt(minute(400))).toBe(401n);
      expect(reads).toEqual([0n, 250n]);
      await times.upTo(505n, new Epochs(500n));
      await times.upTo(505n, new Epochs(500n));
      // A page that may grow is read again.
      expect(reads).toEqual([0n, 250n, 500n, 500n]);
    });
  });

  it('are the same without their marks', async () => {
    await withLog([0, 1, 2, 3, 4, 5, 6, 7], async (eventStore, events) => {
      const [marked, unmarked] = [await kept(eventStore, events), new FaultyReadStore()].map(
        (readStore) => new LogTimes(readStore, eventStore),
      );
      expect(await unmarked?.positionAt(minute(5))).toBe(await marked?.positionAt(minute(5)));
      expect(await unmarked?.upTo(5n, epochs)).toEqual(await marked?.upTo(5n, epochs));
    });
  });
});

describe('the epochs of a log', () => {
  it('count events where its first event is the first position, and bytes elsewhere', async () => {
    await withLog([], async (eventStore) => {
      expect(await epochsOf(eventStore)).toBeUndefined();
    });
    await withLog([0], async (eventStore, [first]) => {
      expect((await epochsOf(eventStore))?.length).toBe(500n);
      const bytes = async function* () {
        if (first) yield await Promise.resolve([{ ...first, position: 2_311n }]);
      };
      const server: EventStore = { ...eventStore, readAll: bytes };
      expect((await epochsOf(server))?.length).toBe(524_288n);
    });
  });
});
