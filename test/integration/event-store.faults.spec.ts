import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreError, StaleRevisionError } from '#platform/event-store/event-store.errors.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { counted, readLog, readStream } from '#platform/event-store/event-store.fixture.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { type TestServer } from '../servers/test-server.js';

let server: TestServer;
let store: EventStore;

beforeAll(async () => {
  server = await startEventStoreNode();
});

afterAll(() => server.stop());

afterEach(() => store.close());

/** Appends events one by one until `isOver`, and repeats appends of unknown outcome. */
const writer = (stream: string, isOver: () => boolean) => async (): Promise<number> => {
  let landed = 0;
  while (!isOver()) {
    const events = counted(1, landed);
    const expected = landed === 0 ? 'no-stream' : BigInt(landed - 1);
    for (let settled = false; !settled;) {
      try {
        await store.append(stream, events, expected);
        settled = true;
      } catch (error) {
        expect(error).toBeInstanceOf(EventStoreError);
        expect(error).not.toBeInstanceOf(StaleRevisionError);
        await sleep(20);
      }
    }
    landed += 1;
  }
  return landed;
};

describe('an event store of which the process', () => {
  it.each([
    ['is killed', 'killed', () => server.kill(), () => server.restart()],
    [
      'hangs',
      'hung',
      () => {
        server.freeze();
        return Promise.resolve();
      },
      () => {
        server.thaw();
        return Promise.resolve();
      },
    ],
  ])(
    '%s under load loses nothing, doubles nothing and is found again',
    async (_, name, down, up) => {
      const timeouts = { attemptMs: 500, silenceMs: 500 };
      store = await openEventStoreDb({ url: server.url, timeouts });
      const start = await store.head();
      let over = false;
      const streams = Array.from({ length: 8 }, (_unused, index) => `${name}-${index}`);
      const writing = Promise.all(streams.map((stream) => writer(stream, () => over)()));
      const seen: RecordedEvent[] = [];
      const stop = new AbortController();
      const following = (async () => {
        for await (const { events } of store.subscribe({ after: start, signal: stop.signal })) {
          seen.push(...events);
        }
      })();
      for (let round = 0; round < 2; round += 1) {
        await sleep(500);
        await down();
        await sleep(1_500);
        expect((await store.health()).writable).toBe(false);
        await up();
      }
      await sleep(2_000);
      over = true;
      const landed = await writing;
      for (const [index, stream] of streams.entries()) {
        expect(await readStream(store, stream)).toHaveLength(landed[index] ?? -1);
      }
      const recorded = await readLog(store, { after: start });
      while (seen.length < recorded.length) await sleep(50);
      stop.abort();
      await following;
      expect(seen).toEqual(recorded);
      expect(await store.health()).toEqual({ writable: true, reason: null });
    },
  );
});
