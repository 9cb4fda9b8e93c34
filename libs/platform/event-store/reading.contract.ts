import { describe, expect, it } from '@jest/globals';
import { type EventFilter } from './event-store.port.js';
import {
  counted,
  event,
  numbersOf,
  onFreshLog,
  type OpenLog,
  readLog,
  readStream,
} from './event-store.fixture.js';

const MANY = 2_500;

export const readingAStream = (open: OpenLog): void =>
  describe('reading a stream', () => {
    it(
      'finds nothing where there is no stream',
      onFreshLog(open, async (store) => {
        expect(await readStream(store, 'job-1')).toEqual([]);
        expect(await readStream(store, 'job-1', { direction: 'backwards' })).toEqual([]);
        expect(await readStream(store, 'not a stream')).toEqual([]);
      }),
    );

    it(
      'reads forwards and backwards, from a revision, up to a count',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(5), 'no-stream');
        await store.append('job-10', counted(5), 'no-stream');
        const read = async (options: Parameters<typeof store.read>[1]) =>
          numbersOf(await readStream(store, 'job-1', options));
        expect(await read({})).toEqual([0, 1, 2, 3, 4]);
        expect(await read({ from: 3n })).toEqual([3, 4]);
        expect(await read({ from: 5n })).toEqual([]);
        expect(await read({ from: 1n, maxCount: 2 })).toEqual([1, 2]);
        expect(await read({ maxCount: 0 })).toEqual([]);
        expect(await read({ direction: 'backwards' })).toEqual([4, 3, 2, 1, 0]);
        expect(await read({ direction: 'backwards', maxCount: 1 })).toEqual([4]);
        expect(await read({ direction: 'backwards', from: 2n })).toEqual([2, 1, 0]);
        expect(await read({ direction: 'backwards', from: 9n, maxCount: 2 })).toEqual([4, 3]);
      }),
    );

    it(
      'numbers the events of a stream without a gap',
      onFreshLog(open, async (store) => {
        for (let index = 0; index < 4; index += 1) {
          await store.append('job-1', counted(2), 'any');
          await store.append('job-2', counted(1), 'any');
        }
        const events = await readStream(store, 'job-1');
        expect(events.map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]);
      }),
    );

    it(
      'reads a stream of many pages',
      onFreshLog(open, async (store) => {
        for (let from = 0; from < MANY; from += 500) {
          await store.append('job-1', counted(500, from), 'any');
        }
        const upwards = Array.from({ length: MANY }, (_, number) => number);
        expect(numbersOf(await readStream(store, 'job-1'))).toEqual(upwards);
        const downwards = await readStream(store, 'job-1', { direction: 'backwards' });
        expect(numbersOf(downwards)).toEqual(upwards.reverse());
      }),
    );
  });

export const readingAll = (open: OpenLog): void =>
  describe('reading all', () => {
    it(
      'finds nothing in an empty log',
      onFreshLog(open, async (store) => {
        expect(await readLog(store)).toEqual([]);
        expect(await store.head()).toBe(0n);
      }),
    );

    it(
      'reads every stream in the order of strictly increasing positions, after a place',
      onFreshLog(open, async (store) => {
        await Promise.all(
          Array.from({ length: 30 }, (_, index) => store.append(`job-${index}`, counted(3), 'any')),
        );
        const events = await readLog(store);
        expect(events).toHaveLength(90);
        const positions = events.map(({ position }) => position);
        for (const [index, position] of positions.entries()) {
          expect(position).toBeGreaterThan(positions[index - 1] ?? 0n);
        }
        expect(await store.head()).toBe(positions.at(-1));
        const after = positions[39] ?? 0n;
        expect(await readLog(store, { after })).toEqual(events.slice(40));
        expect(await readLog(store, { after, maxCount: 7 })).toEqual(events.slice(40, 47));
        expect(await readLog(store, { after: await store.head() })).toEqual([]);
        expect(await readLog(store, { maxCount: 0 })).toEqual([]);
      }),
    );

    it(
      'lets through what begins with one of the prefixes',
      onFreshLog(open, async (store) => {
        await store.append('job-1', [event('JobSubmitted'), event('Job')], 'any');
        await store.append('account-1', [event('HoldPlaced'), event('JobBilled')], 'any');
        await store.append('jobs-1', [event('HoldReleased'), event('jobSubmitted')], 'any');
        const read = async (by: EventFilter['by'], ...prefixes: string[]) => {
          const events = await readLog(store, { filter: { by, prefixes } });
          return events.map(({ stream, type }) => `${stream} ${type}`);
        };
        expect(await read('stream', 'job-')).toEqual(['job-1 JobSubmitted', 'job-1 Job']);
        expect(await read('type', 'Job')).toEqual([
          'job-1 JobSubmitted',
          'job-1 Job',
          'account-1 JobBilled',
        ]);
        expect(await read('type', 'HoldP', 'HoldR')).toHaveLength(2);
        expect(await read('stream', 'account-', 'jobs-')).toHaveLength(4);
        expect(await read('type', '%', 'J_b', '*')).toEqual([]);
        expect(await read('type', '')).toHaveLength(6);
      }),
    );

    it(
      'counts only what passes, and finds what is rare in a long log',
      onFreshLog(open, async (store) => {
        await store.append('rare-1', counted(1), 'any');
        for (let from = 0; from < 3 * MANY; from += 500) {
          await store.append('job-1', counted(500, from), 'any');
        }
        await store.append('rare-1', counted(2, 1), 'any');
        const filter: EventFilter = { by: 'stream', prefixes: ['rare-'] };
        expect(numbersOf(await readLog(store, { filter }))).toEqual([0, 1, 2]);
        expect(numbersOf(await readLog(store, { filter, maxCount: 2 }))).toEqual([0, 1]);
        expect(await readLog(store)).toHaveLength(3 * MANY + 3);
      }),
    );

    it(
      'rejects a filter without a prefix',
      onFreshLog(open, async (store) => {
        const filter: EventFilter = { by: 'type', prefixes: [] };
        await expect(readLog(store, { filter })).rejects.toThrow(RangeError);
        const { signal } = new AbortController();
        const subscribe = async () => {
          for await (const batch of store.subscribe({ filter, signal })) expect(batch).toBeNull();
        };
        await expect(subscribe()).rejects.toThrow(RangeError);
      }),
    );

    it(
      'ends at the head as it was at the start',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(1_000), 'any');
        let seen = 0;
        for await (const page of store.readAll()) {
          seen += page.length;
          await store.append('job-1', counted(10), 'any');
        }
        expect(seen).toBe(1_000);
      }),
    );

    it(
      'shows at once what was acknowledged',
      onFreshLog(open, async (store) => {
        for (let index = 0; index < 20; index += 1) {
          const { position } = await store.append('job-1', counted(1), 'any');
          expect(await store.head()).toBe(position);
          expect((await readLog(store)).at(-1)?.position).toBe(position);
        }
      }),
    );
  });

export const anotherHandle = (open: OpenLog): void =>
  describe('another handle on the log', () => {
    it(
      'reads what this one has written, and the other way round',
      onFreshLog(open, async (store, { openAnother }) => {
        const another = await openAnother();
        const first = await store.append('job-1', counted(1), 'no-stream');
        expect(await another.head()).toBe(first.position);
        const second = await another.append('job-1', counted(1, 1), first.revision);
        expect(await store.head()).toBe(second.position);
        const third = await store.append('job-1', counted(1, 2), second.revision);
        expect(third.revision).toBe(2n);
        expect(await readLog(store)).toEqual(await readLog(another));
        expect(numbersOf(await readStream(another, 'job-1'))).toEqual([0, 1, 2]);
      }),
    );

    it(
      'competes for revisions like any caller',
      onFreshLog(open, async (store, { openAnother }) => {
        const another = await openAnother();
        for (let index = 0; index < 10; index += 1) {
          const expected = index === 0 ? 'no-stream' : BigInt(index - 1);
          const outcomes = await Promise.allSettled(
            [store, another].map((handle) => handle.append('job-1', counted(1, index), expected)),
          );
          expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        }
        expect(await readStream(store, 'job-1')).toHaveLength(10);
      }),
    );

    it(
      'finds everything after this one was closed',
      onFreshLog(open, async (store, { openAnother }) => {
        const events = counted(3);
        const first = await store.append('job-1', events, 'no-stream');
        const before = await readLog(store);
        await store.close();
        const another = await openAnother();
        expect(await readLog(another)).toEqual(before);
        expect(await another.append('job-1', events, 'no-stream')).toEqual(first);
        expect((await another.append('job-1', counted(1), 2n)).position).toBeGreaterThan(
          first.position,
        );
      }),
    );
  });
