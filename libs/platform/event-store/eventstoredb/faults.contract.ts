import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import {
  CutStreamError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from '../event-store.errors.js';
import { counted, follow, numbersOf, readLog, readStream } from '../event-store.fixture.js';
import { type EventStore } from '../event-store.port.js';
import { type ServedTestLog } from '../grpc/served-log.fixture.js';
import { Laboratory } from './laboratory.fixture.js';
import { type EventStoreDbTimeouts } from './timeouts.js';

type OpenStore = (
  timeouts?: Partial<EventStoreDbTimeouts>,
) => Promise<{ readonly log: ServedTestLog; readonly store: EventStore }>;

/** Faults between a store and its server, through one of the packages. */
export const survivesFaults = (scheme: string): void => {
  const laboratory = new Laboratory();
  const urlOf = (log: ServedTestLog) => `${scheme}://${log.address}?tls=false`;
  const open: OpenStore = async (timeouts) => {
    const log = await laboratory.openLog();
    return { log, store: await laboratory.openStore(urlOf(log), timeouts) };
  };
  lostAnswers(open);
  leadersAndLimits(open, laboratory);
  deletions(open);
  gaps(laboratory, urlOf);
  outages(open);
  killsUnderLoad(open);
  droppedSubscriptions(open);

  it('opens while there is no server, and works when there is one', async () => {
    const log = await laboratory.openLog();
    await log.kill();
    const store = await laboratory.openStore(urlOf(log), { outageMs: 5_000 });
    expect((await store.health()).writable).toBe(false);
    const reading = readLog(store);
    await log.restart();
    expect(await reading).toEqual([]);
    await eventually(async () => (await store.health()).writable);
    await store.append('job-1', counted(1), 'no-stream');
  });
};

const lostAnswers = (open: OpenStore): void =>
  describe('lost answers', () => {
    it.each(['lost-answer', 'lost-request'] as const)(
      'settles an append with a %s by repeating it, and it lands once',
      async (kind) => {
        const { log, store } = await open();
        const [first, second] = [counted(2), counted(2, 2)];
        await store.append('job-1', first, 'no-stream');
        log.faulty.failNext({ kind });
        const { revision, position } = await store.append('job-1', second, 1n);
        const recorded = await readLog(log.direct);
        expect(numbersOf(recorded)).toEqual([0, 1, 2, 3]);
        expect({ revision, position }).toEqual({
          revision: 3n,
          position: recorded.at(-1)?.position,
        });
      },
    );

    it('settles an append that is not answered, whose first copy lands in the end', async () => {
      const { log, store } = await open({ attemptMs: 200 });
      log.faulty.failNext({ kind: 'held' });
      const events = counted(3);
      const result = await store.append('job-1', events, 'no-stream');
      log.faulty.release();
      await sleep(50);
      expect(await readLog(log.direct)).toHaveLength(3);
      expect(await store.append('job-1', events, 'no-stream')).toEqual(result);
    });
  });

const leadersAndLimits = (open: OpenStore, laboratory: Laboratory): void =>
  describe('leaders and limits of repeating', () => {
    it('goes where the leader is', async () => {
      const { log, store } = await open();
      const leader = await laboratory.openLog();
      log.faulty.failNext({ kind: 'not-leader', host: '127.0.0.1', port: leader.port });
      await store.append('job-1', counted(1), 'no-stream');
      expect(await readLog(log.direct)).toEqual([]);
      expect(await readLog(store)).toEqual(await readLog(leader.direct));
      expect(await readStream(leader.direct, 'job-1')).toHaveLength(1);
    });

    it('settles everything that was under way when the connection broke', async () => {
      const { log, store } = await open();
      const appends = counted(300).map((event, index) =>
        store.append(`job-${index}`, [event], 'no-stream'),
      );
      log.faulty.failNext({ kind: 'lost-answer' });
      await Promise.all(appends);
      expect(await readLog(log.direct)).toHaveLength(300);
    });

    it.each(['any', 'stream-exists'] as const)(
      'repeats nothing at %s, where a repeat may land twice',
      async (expected) => {
        const { log, store } = await open();
        await store.append('job-1', counted(1), 'no-stream');
        log.faulty.failNext({ kind: 'lost-answer' });
        await expect(store.append('job-1', counted(1), expected)).rejects.toThrow(
          UnknownOutcomeError,
        );
        expect(await readLog(log.direct)).toHaveLength(2);
      },
    );
  });

const deletions = (open: OpenStore): void =>
  describe('deleted streams', () => {
    it('are cut for readers and writers after a tombstone, and whole in the log', async () => {
      const { log, store } = await open();
      await store.append('job-1', counted(2), 'no-stream');
      await log.faulty.tombstone('job-1');
      await store.append('job-2', counted(1, 2), 'no-stream');
      await expect(readStream(store, 'job-1')).rejects.toThrow(CutStreamError);
      await expect(store.append('job-1', counted(1), 1n)).rejects.toThrow(CutStreamError);
      expect((await store.health()).writable).toBe(true);
      expect(numbersOf(await readLog(store))).toEqual([0, 1, 2]);
      const { events } = await follow(store, {}, (seen) => seen.length === 3);
      expect(numbersOf(events)).toEqual([0, 1, 2]);
    });

    it('are cut for readers after a deletion, and not absent', async () => {
      const { log, store } = await open();
      await store.append('job-1', counted(2), 'no-stream');
      log.faulty.softDelete('job-1');
      await expect(readStream(store, 'job-1')).rejects.toThrow(CutStreamError);
      expect(await readStream(store, 'job-2')).toEqual([]);
    });
  });

const gaps = (laboratory: Laboratory, urlOf: (log: ServedTestLog) => string): void =>
  describe('positions with gaps, where the server reads from no gap', () => {
    it('are read from, also from the place before an event', async () => {
      const log = await laboratory.openLog({ kind: 'insecure' }, true);
      const store = await laboratory.openStore(urlOf(log));
      for (let number = 0; number < 5; number += 1)
        await store.append('job-1', counted(1, number), 'any');
      const events = await readLog(store);
      expect(numbersOf(events)).toEqual([0, 1, 2, 3, 4]);
      const [, second] = events;
      if (!second) throw new Error('there is no second event');
      for (const [after, numbers] of [
        [second.position, [2, 3, 4]],
        [second.position - 1n, [1, 2, 3, 4]],
      ] as const) {
        expect(numbersOf(await readLog(store, { after }))).toEqual(numbers);
        const seen = await follow(store, { after }, (found) => found.length === numbers.length);
        expect(numbersOf(seen.events)).toEqual(numbers);
      }
      expect((await store.health()).writable).toBe(true);
    });
  });

const outages = (open: OpenStore): void =>
  describe('outages', () => {
    it('says what it knows while the server is gone, and finds it again by itself', async () => {
      const { log, store } = await open({ settleMs: 300, outageMs: 300 });
      const [event] = counted(1);
      await store.append('job-1', counted(1), 'no-stream');
      await log.kill();
      const lost = store.append('job-2', event === undefined ? [] : [event], 'no-stream');
      await expect(lost).rejects.toThrow(UnknownOutcomeError);
      await expect(store.append('job-3', counted(1), 'no-stream')).rejects.toThrow(
        StoreUnavailableError,
      );
      await expect(readLog(store)).rejects.toThrow(StoreUnavailableError);
      await expect(store.head()).rejects.toThrow(StoreUnavailableError);
      expect(await store.health()).toMatchObject({ writable: false, isDenied: false });
      await log.restart();
      await eventually(async () => (await store.health()).writable);
      expect((await store.append('job-1', counted(1), 0n)).revision).toBe(1n);
      expect(await readLog(store)).toHaveLength(2);
    });

    it('rejects and settles what is under way when it is closed in an outage', async () => {
      const { log, store } = await open({ attemptMs: 500 });
      log.faulty.failNext({ kind: 'held' });
      const append = store.append('job-1', counted(1), 'no-stream');
      await sleep(50);
      await Promise.all([expect(append).rejects.toThrow(UnknownOutcomeError), store.close()]);
    });

    it('ends a reading that waits for the server when it is closed', async () => {
      const { log, store } = await open({ outageMs: 60_000, attemptMs: 500 });
      await log.kill();
      const reading = readLog(store);
      const rejected = expect(reading).rejects.toThrow(StoreUnavailableError);
      await sleep(200);
      await store.close();
      await rejected;
    });
  });

const killsUnderLoad = (open: OpenStore): void =>
  describe('kills under load', () => {
    it('loses nothing that it acknowledged while the server is killed and restarted', async () => {
      const { log, store } = await open();
      const acknowledged: number[] = [];
      let over = false;
      const write = async (writer: number) => {
        for (let number = 0; !over; number += 1) {
          const expected = number === 0 ? 'no-stream' : BigInt(number - 1);
          const events = counted(1, number);
          for (let landed = false; !landed;) {
            try {
              await store.append(`job-${writer}`, events, expected);
              landed = true;
            } catch (error) {
              expect(error).toBeInstanceOf(StoreUnavailableError);
              await sleep(10);
            }
          }
          acknowledged[writer] = number + 1;
        }
      };
      const writing = Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
      const seen: unknown[] = [];
      const stop = new AbortController();
      const following = (async () => {
        for await (const { events } of store.subscribe({ signal: stop.signal }))
          seen.push(...events);
      })();
      for (let round = 0; round < 3; round += 1) {
        await sleep(150);
        await log.kill();
        await sleep(100);
        await log.restart();
      }
      await sleep(300);
      over = true;
      await writing;
      for (const [writer, count] of acknowledged.entries()) {
        const numbers = numbersOf(await readStream(log.direct, `job-${writer}`));
        expect(numbers).toEqual(Array.from({ length: count }, (_, number) => number));
      }
      const recorded = await readLog(log.direct);
      await eventually(() => Promise.resolve(seen.length >= recorded.length));
      stop.abort();
      await following;
      expect(seen).toEqual(recorded);
    });
  });

const droppedSubscriptions = (open: OpenStore): void =>
  describe('dropped subscriptions', () => {
    it('hides a dropped subscription from its readers', async () => {
      const { log, store } = await open();
      let dropped = 0;
      const { events } = await follow(store, {}, async (seen, { caughtUp }) => {
        if (caughtUp && seen.length === dropped * 100 && dropped < 5) {
          dropped += 1;
          log.dropConnections();
          await log.direct.append(`job-${dropped}`, counted(100), 'no-stream');
        }
        return seen.length === 500;
      });
      expect(events).toEqual(await readLog(log.direct));
    });

    it('catches up a slow consumer whose subscription was dropped meanwhile', async () => {
      const { log, store } = await open();
      const { events } = await follow(store, {}, async (seen, { caughtUp }) => {
        if (caughtUp && seen.length === 0) {
          for (let stream = 0; stream < 12; stream += 1) {
            await log.direct.append(`job-${stream}`, counted(1_000), 'no-stream');
            if (stream === 6) log.dropConnections();
          }
        }
        return seen.length === 12_000;
      });
      expect(events).toEqual(await readLog(log.direct));
    });

    it('waits for a subscription in an outage, and ends when it is aborted there', async () => {
      const { log, store } = await open();
      await log.kill();
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 200);
      for await (const batch of store.subscribe({ signal: stop.signal })) expect(batch).toBeNull();
      const next = new AbortController();
      setTimeout(() => void log.restart(), 200);
      for await (const { caughtUp } of store.subscribe({ signal: next.signal })) {
        if (caughtUp) next.abort();
      }
      expect(next.signal.aborted).toBe(true);
    });
  });
