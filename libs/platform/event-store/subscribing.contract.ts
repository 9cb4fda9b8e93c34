import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type EventFilter, type EventStore } from './event-store.port.js';
import {
  counted,
  event,
  follow,
  numbersOf,
  onFreshLog,
  type OpenLog,
  readLog,
} from './event-store.fixture.js';
import { PositionDemand } from './position-demand.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

const appendOneByOne = async (store: EventStore, from: number, count: number): Promise<void> => {
  for (const event of counted(count, from)) await store.append('job-1', [event], 'any');
};

export const catchingUp = (open: OpenLog): void =>
  describe('catching up', () => {
    it(
      'says at once that it has caught up with an empty log',
      onFreshLog(open, async (store) => {
        const { events, batches } = await follow(store, {}, (_, { caughtUp }) => caughtUp);
        expect(events).toEqual([]);
        expect(batches).toEqual([{ events: [], position: 0n, caughtUp: true }]);
      }),
    );

    it(
      'starts after the place given, and says when it has caught up',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(900), 'any');
        await store.append('job-2', counted(900, 900), 'any');
        const all = await readLog(store);
        const after = all[699]?.position ?? 0n;
        const { events, batches } = await follow(store, { after }, (_, { caughtUp }) => caughtUp);
        expect(events).toEqual(all.slice(700));
        expect(batches.at(-1)?.position).toBe(await store.head());
        expect(batches.slice(0, -1).every(({ caughtUp }) => !caughtUp)).toBe(true);
      }),
    );

    it(
      'moves its place past what the filter holds back',
      onFreshLog(open, async (store) => {
        await store.append('rare-1', counted(1), 'any');
        for (let index = 0; index < 6; index += 1) {
          await store.append('job-1', counted(1_000), 'any');
        }
        const filter: EventFilter = { by: 'stream', prefixes: ['rare-'] };
        const { events, batches } = await follow(store, { filter }, (_, { caughtUp }) => caughtUp);
        expect(events).toHaveLength(1);
        expect(batches.at(-1)?.position).toBe(await store.head());
        for (const [index, { position }] of batches.entries()) {
          expect(position).toBeGreaterThan(batches[index - 1]?.position ?? 0n);
        }
      }),
    );

    it(
      'gives positions that are safe to resume from',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(1_000), 'any');
        await store.append('job-2', counted(1_000, 1_000), 'any');
        const seen: unknown[] = [];
        let after = 0n;
        while (after < (await store.head())) {
          const { events, batches } = await follow(store, { after }, () => true);
          seen.push(...numbersOf(events));
          after = batches.at(-1)?.position ?? after;
        }
        expect(seen).toEqual(upTo(2_000));
      }),
    );
  });

export const followingLive = (open: OpenLog): void =>
  describe('following live', () => {
    it(
      'delivers what comes after it caught up, once and in order',
      onFreshLog(open, async (store) => {
        await appendOneByOne(store, 0, 10);
        let appending: Promise<void> | undefined;
        const { events, batches } = await follow(store, {}, (seen, { caughtUp }) => {
          if (caughtUp) appending ??= appendOneByOne(store, 10, 40);
          return seen.length === 50;
        });
        await appending;
        expect(numbersOf(events)).toEqual(upTo(50));
        expect(events).toEqual(await readLog(store));
        expect(batches.at(-1)?.caughtUp).toBe(true);
      }),
    );

    it(
      'filters live events too, and moves its place past the others',
      onFreshLog(open, async (store) => {
        let appending: Promise<unknown> | undefined;
        const { events, batches } = await follow(
          store,
          { filter: { by: 'type', prefixes: ['Wanted'] } },
          async (_, { position, caughtUp }) => {
            if (caughtUp) {
              appending ??= Promise.all([
                store.append('job-1', [event('Wanted'), event('Unwanted')], 'any'),
                store.append('job-2', [event('Unwanted'), event('Wanted2')], 'any'),
                store.append('job-3', [event('Unwanted')], 'any'),
              ]);
            }
            await appending;
            return position > 0n && position === (await store.head());
          },
        );
        expect(events.map(({ type }) => type)).toEqual(['Wanted', 'Wanted2']);
        expect(batches.at(-1)?.position).toBe(await store.head());
      }),
    );

    it(
      'delivers what another handle appends',
      onFreshLog(open, async (store, { openAnother }) => {
        const another = await openAnother();
        const appendInTurns = async () => {
          for (let number = 0; number < 60; number += 1) {
            await appendOneByOne(number % 3 === 0 ? another : store, number, 1);
          }
        };
        let appending: Promise<void> | undefined;
        const { events } = await follow(store, {}, (seen) => {
          appending ??= appendInTurns();
          return seen.length === 60;
        });
        await appending;
        expect(numbersOf(events)).toEqual(upTo(60));
      }),
    );

    it(
      'gives several followers the same log',
      onFreshLog(open, async (store) => {
        const enough = (events: readonly unknown[]) => events.length === 300;
        const following = [1, 2, 3].map(() => follow(store, {}, enough));
        await Promise.all(counted(300).map((event) => store.append('job-1', [event], 'any')));
        const log = await readLog(store);
        for (const { events } of await Promise.all(following)) expect(events).toEqual(log);
      }),
    );

    it(
      'skips nothing and repeats nothing for a slow consumer',
      onFreshLog(open, async (store) => {
        const total = 12_000;
        // Fifty at once: on a busy machine more of them wait for longer than an append may.
        const append = async () => {
          for (let index = 0; index < total; index += 8 * 50) {
            const starts = Array.from({ length: 50 }, (_, n) => index + 8 * n);
            await Promise.all(
              starts.map((start) => store.append(`job-${start}`, counted(8, start), 'no-stream')),
            );
          }
        };
        let appending: Promise<void> | undefined;
        let turns = 0;
        const { events } = await follow(store, {}, async (seen) => {
          appending ??= append();
          turns += 1;
          // Everything lands while the consumer is busy with its first batches.
          if (turns < 4) await appending;
          return seen.length === total;
        });
        expect(events).toEqual(await readLog(store));
      }),
    );
  });

export const positionsOnDemand = (open: OpenLog): void =>
  describe('a consumer that seldom needs the position', () => {
    const filter: EventFilter = { by: 'type', prefixes: ['Wanted'] };

    it(
      'gets its events, and is spared most of the batches without one',
      onFreshLog(open, async (store) => {
        const positions = new PositionDemand();
        let appending: Promise<void> | undefined;
        const append = async () => {
          for (let index = 0; index < 200; index += 1) {
            await store.append('job-1', [event('Unwanted')], 'any');
          }
          await store.append('job-1', [event('Wanted')], 'any');
        };
        const { batches } = await follow(store, { filter, positions }, (events, { caughtUp }) => {
          if (caughtUp) appending ??= append();
          return events.length === 1;
        });
        await appending;
        expect(batches.length).toBeLessThan(100);
        expect(batches.at(-1)?.position).toBe(await store.head());
      }),
    );

    it(
      'gets the position when it begins to wait for it, and the positions that come while it waits',
      onFreshLog(open, async (store) => {
        const positions = new PositionDemand();
        let appending: Promise<void> | undefined;
        const append = async () => {
          await store.append('job-1', [event('Unwanted')], 'any');
          positions.open();
          await store.append('job-1', [event('Unwanted')], 'any');
        };
        const { events, batches } = await follow(
          store,
          { filter, positions },
          async (_, { position, caughtUp }) => {
            if (!caughtUp) return false;
            appending ??= append();
            await appending;
            return position > 0n && position === (await store.head());
          },
        );
        expect(events).toEqual([]);
        expect(batches.at(-1)?.caughtUp).toBe(true);
      }),
    );
  });

export const endingASubscription = (open: OpenLog): void =>
  describe('ending a subscription', () => {
    it(
      'ends without an error when it is aborted while it waits',
      onFreshLog(open, async (store) => {
        const stop = new AbortController();
        const batches: unknown[] = [];
        for await (const batch of store.subscribe({ signal: stop.signal })) {
          batches.push(batch);
          setTimeout(() => stop.abort(), 20);
        }
        expect(batches).toHaveLength(1);
      }),
    );

    it(
      'delivers nothing when it was aborted before',
      onFreshLog(open, async (store) => {
        await appendOneByOne(store, 0, 3);
        for await (const batch of store.subscribe({ signal: AbortSignal.abort() })) {
          expect(batch).toBeNull();
        }
      }),
    );

    it(
      'delivers nothing more after it was aborted while the consumer was busy',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(1_000), 'any');
        await store.append('job-1', counted(1_000), 'any');
        const { batches } = await follow(store, {}, () => true);
        expect(batches).toHaveLength(1);
      }),
    );

    it(
      'ends when the store is closed',
      onFreshLog(open, async (store) => {
        const { signal } = new AbortController();
        let closing: Promise<void> | undefined;
        for await (const { caughtUp } of store.subscribe({ signal })) {
          if (caughtUp) closing ??= sleep(20).then(() => store.close());
        }
        await closing;
        expect(closing).toBeDefined();
      }),
    );

    it(
      'leaves the others running',
      onFreshLog(open, async (store) => {
        const short = follow(store, {}, () => true);
        const long = follow(store, {}, (events) => events.length === 5);
        await short;
        await appendOneByOne(store, 0, 5);
        expect((await long).events).toHaveLength(5);
      }),
    );
  });
