import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_OVERHEAD_BYTES } from '../append.encoding.js';
import { counted, event, metadata, readLog } from '../event-store.fixture.js';
import {
  append,
  clashIn,
  collect,
  type Connect,
  expecting,
  failureOf,
  numbersIn,
  proposed,
  type StreamsClient,
  untilCaughtUp,
} from './clients.fixture.js';
import { openServedTestLog, type ServedTestLog } from './served-log.fixture.js';

/**
 * Everything the official clients ask of the server, over the wire. One client per process: both
 * packages put their generated messages into the same global names, and the later one wins.
 */
export const officialClientContract = (name: string, connect: Connect): void =>
  describe(`the event store server, asked by ${name}`, () => {
    let log: ServedTestLog;
    let client: StreamsClient;

    beforeEach(async () => {
      log = await openServedTestLog();
      // Thousands of appends at once take longer than the default of 10 s on a busy machine.
      client = connect(`${log.address}?tls=false&defaultDeadline=60000`);
    });

    afterEach(async () => {
      await client.dispose();
      await log.dispose();
    });

    /** Per-call credentials make both clients take Append instead of BatchAppend. */
    const ways = [
      ['BatchAppend', {}],
      ['Append', { credentials: { username: 'admin', password: 'unused' } }],
    ] as const;

    describe.each(ways)('appending by %s', (_way, options) => {
      it('answers with the revision and the position of the last event', async () => {
        const first = await append(client, 'job-1', counted(3), 'no-stream', options);
        expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
        const second = await append(client, 'job-1', counted(1), 2n, options);
        expect(second).toMatchObject({ success: true, nextExpectedRevision: 3n });
        const head = await log.direct.head();
        expect(second.position).toEqual({ commit: head, prepare: head });
      });

      it('keeps id, type, data and metadata as they were', async () => {
        const given = event('JobSubmitted', {
          name: 'Ünïcödé ✓',
          nested: { list: [1, null, 'x'] },
        });
        await append(client, 'job-1', [given], 'no-stream', options);
        expect(await readLog(log.direct)).toMatchObject([{ ...given, stream: 'job-1' }]);
        const [seen] = await collect(client.readStream('job-1'));
        expect(seen).toMatchObject({ ...given, streamId: 'job-1', revision: 0n, isJson: true });
        expect(Math.abs(Date.now() - Number(seen?.created))).toBeLessThan(60_000);
      });

      it('recognises a repeated append', async () => {
        const given = counted(2);
        const first = await append(client, 'job-1', given, 'no-stream', options);
        expect(await append(client, 'job-1', given, 'no-stream', options)).toEqual(first);
        expect(await readLog(log.direct)).toHaveLength(2);
      });

      it('says what a stale revision was and is', async () => {
        await append(client, 'job-1', counted(2), 'no-stream', options);
        const rejected = [
          ['no-stream', 'no_stream'],
          [0n, 0n],
          [7n, 7n],
        ] as const;
        for (const [expected, named] of rejected) {
          const error = await failureOf(append(client, 'job-1', counted(1), expected, options));
          expect(error).toMatchObject({ type: 'wrong-expected-version', streamName: 'job-1' });
          expect(clashIn(error)).toEqual({ expected: named, actual: 1n });
        }
        const absent = await failureOf(append(client, 'job-2', counted(1), 4n, options));
        expect(clashIn(absent)).toEqual({ expected: 4n, actual: 'no_stream' });
        await append(client, 'job-1', counted(1), 'stream-exists', options);
        await append(client, 'job-1', counted(1), 'any', options);
        expect(await readLog(log.direct)).toHaveLength(4);
      });

      it('takes an append of 1 MiB and rejects a larger one', async () => {
        const sized = (bytes: number) => event('Sized', { text: 'x'.repeat(bytes) });
        const json = JSON.stringify({ text: '' }).length + JSON.stringify(metadata).length;
        const largest = 1_048_576 - json - 2 * 'Sized'.length - EVENT_OVERHEAD_BYTES;
        await append(client, 'job-1', [sized(largest)], 'no-stream', options);
        for (const bytes of [largest + 1, 5_000_000]) {
          const error = await failureOf(append(client, 'job-1', [sized(bytes)], 0n, options));
          expect(error).toMatchObject({
            type: 'maximum-append-size-exceeded',
            maxAppendSize: 1_048_576,
          });
        }
        const many = await failureOf(append(client, 'job-1', counted(1_001), 0n, options));
        expect(many).toMatchObject({ type: 'maximum-append-size-exceeded' });
        await append(client, 'job-1', counted(1_000), 0n, options);
      });

      it.each([
        ['a stream without a category', 'jobs', {}, /stream name/],
        ['a system stream', '$settings-1', {}, /stream name/],
        ['a type with a space', 'job-1', { type: 'Job Submitted' }, /event type/],
        ['an id that is none', 'job-1', { id: 'first' }, /not a UUID/],
        ['data that is no object', 'job-1', { data: 'text' }, /event 0: data is not a JSON object/],
        ['data that is a list', 'job-1', { data: [1] }, /event 0: data is not a JSON object/],
        [
          'metadata of others',
          'job-1',
          { metadata: { $causedBy: 'x' } },
          /custom metadata: version/,
        ],
        ['no metadata', 'job-1', { metadata: undefined }, /event 0: custom metadata is not JSON/],
        [
          'metadata without an actor',
          'job-1',
          { metadata: { ...metadata, actor: undefined } },
          /custom metadata: actor/,
        ],
      ])('rejects %s by name', async (_case, stream, change, message) => {
        const given = { ...proposed(event()), ...change };
        const error = await failureOf(
          client.appendToStream(stream, [given], { ...expecting('any'), ...options }),
        );
        expect(error['message']).toMatch(message);
        expect(await readLog(log.direct)).toEqual([]);
      });

      it('rejects content that is not JSON', async () => {
        const binary = {
          ...proposed(event()),
          contentType: 'application/octet-stream',
          data: Buffer.from('{}'),
        };
        const error = await failureOf(
          client.appendToStream('job-1', [binary], { ...expecting('any'), ...options }),
        );
        expect(error['message']).toMatch(/content-type/);
      });
    });

    it('answers every one of many appends at once', async () => {
      const appends = Array.from({ length: 3_000 }, (_, index) =>
        append(client, `job-${index % 50}`, counted(1, index), 'any'),
      );
      const results = await Promise.all(appends);
      expect(new Set(results.map(({ position }) => position?.commit)).size).toBe(3_000);
      expect(await readLog(log.direct)).toHaveLength(3_000);
    });

    it('puts together an append that comes in parts', async () => {
      await append(client, 'job-1', counted(100), 'no-stream', { batchAppendSize: 1_024 });
      expect(numbersIn(await collect(client.readStream('job-1')))).toEqual(
        Array.from({ length: 100 }, (_, number) => number),
      );
    });

    it('rejects an append whose deadline is over, and answers one that misses it', async () => {
      log.faulty.failNext({ kind: 'held' });
      const held = failureOf(append(client, 'job-1', counted(1), 'any', { deadline: 300 }));
      expect(await held).toMatchObject({ type: 'deadline-exceeded' });
      log.faulty.release();
      const late = failureOf(append(client, 'job-2', counted(1), 'any', { deadline: -1_000 }));
      expect(await late).toMatchObject({ type: 'deadline-exceeded' });
      await append(client, 'job-3', counted(1), 'any');
      // The late append was written: its outcome was unknown.
      const streams = (await readLog(log.direct)).map(({ stream }) => stream);
      expect(streams.toSorted()).toEqual(['job-1', 'job-3']);
    });

    describe('reading a stream', () => {
      const read = async (options: object) =>
        numbersIn(await collect(client.readStream('job-1', options)));

      it('reads forwards and backwards, from a revision, up to a count', async () => {
        await append(client, 'job-1', counted(5), 'no-stream');
        await append(client, 'job-10', counted(5), 'no-stream');
        expect(await read({})).toEqual([0, 1, 2, 3, 4]);
        expect(await read({ fromRevision: 3n })).toEqual([3, 4]);
        expect(await read({ fromRevision: 9n })).toEqual([]);
        expect(await read({ fromRevision: 1n, maxCount: 2 })).toEqual([1, 2]);
        const direction = 'backwards';
        expect(await read({ direction, fromRevision: 'end' })).toEqual([4, 3, 2, 1, 0]);
        expect(await read({ direction, fromRevision: 'end', maxCount: 1 })).toEqual([4]);
        expect(await read({ direction, fromRevision: 2n })).toEqual([2, 1, 0]);
        expect(await read({ direction, fromRevision: 2n ** 63n, maxCount: 2 })).toEqual([4, 3]);
      });

      it('reads a stream of many pages', async () => {
        for (let from = 0; from < 2_500; from += 500) {
          await log.direct.append('job-1', counted(500, from), 'any');
        }
        const upwards = Array.from({ length: 2_500 }, (_, number) => number);
        expect(await read({})).toEqual(upwards);
        expect(await read({ direction: 'backwards', fromRevision: 'end' })).toEqual(
          upwards.toReversed(),
        );
      });

      it('says that there is no stream', async () => {
        const error = await failureOf(collect(client.readStream('job-404')));
        expect(error).toMatchObject({ type: 'stream-not-found', streamName: 'job-404' });
        expect(await client.getStreamMetadata('job-404')).not.toHaveProperty('metadata');
      });
    });

    describe('reading all', () => {
      it('reads forwards and backwards, from a position, up to a count', async () => {
        for (let from = 0; from < 1_200; from += 300) {
          await log.direct.append(`job-${from}`, counted(300, from), 'no-stream');
        }
        const positions = (await readLog(log.direct)).map(({ position }) => position);
        const upwards = Array.from({ length: 1_200 }, (_, number) => number);
        const read = async (options: object) => numbersIn(await collect(client.readAll(options)));
        const at = (index: number) => {
          const position = positions[index] ?? 0n;
          return { fromPosition: { commit: position, prepare: position } };
        };
        expect(await read({})).toEqual(upwards);
        expect(await read({ ...at(700) })).toEqual(upwards.slice(700));
        expect(await read({ ...at(5), maxCount: 3 })).toEqual([5, 6, 7]);
        const direction = 'backwards';
        expect(await read({ direction, fromPosition: 'end' })).toEqual(upwards.toReversed());
        expect(await read({ direction, fromPosition: 'end', maxCount: 2 })).toEqual([1_199, 1_198]);
        expect(await read({ direction, ...at(3) })).toEqual([2, 1, 0]);
      });

      it('gives every event its position', async () => {
        await log.direct.append('job-1', counted(3), 'no-stream');
        const stored = await readLog(log.direct);
        const seen = await collect(client.readAll());
        expect(seen.map(({ position }) => position)).toEqual(
          stored.map(({ position }) => ({ commit: position, prepare: position })),
        );
      });
    });

    describe('subscribing', () => {
      it('catches up, says so, and follows live after the given place', async () => {
        await log.direct.append('job-1', counted(700), 'no-stream');
        const positions = (await readLog(log.direct)).map(({ position }) => position);
        const place = positions[99] ?? 0n;
        const subscription = client.subscribeToAll({
          fromPosition: { commit: place, prepare: place },
        });
        const seen = await untilCaughtUp(subscription);
        const twoMore = new Promise<void>((resolve) => {
          subscription.on('data', () => seen.length === 602 && resolve());
        });
        await append(client, 'job-2', counted(2, 700), 'no-stream');
        await twoMore;
        expect(numbersIn(seen)).toEqual(Array.from({ length: 602 }, (_, index) => 100 + index));
        await subscription.unsubscribe();
      });

      it('begins at the end where it is asked to', async () => {
        await log.direct.append('job-1', counted(3), 'no-stream');
        const subscription = client.subscribeToAll({ fromPosition: 'end' });
        const seen = await untilCaughtUp(subscription);
        const next = new Promise((resolve) => subscription.once('data', resolve));
        await log.direct.append('job-1', counted(1, 3), 2n);
        await next;
        expect(numbersIn(seen)).toEqual([3]);
        await subscription.unsubscribe();
      });

      it.each([
        [
          'prefixes of stream names',
          { filterOn: 'streamName', prefixes: ['job-', 'rig-'] },
          [0, 2],
        ],
        ['a regex on stream names', { filterOn: 'streamName', regex: '^(job|rig)-\\d$' }, [0, 2]],
        ['prefixes of types', { filterOn: 'eventType', prefixes: ['Job'] }, [0, 1]],
        ['a regex on types', { filterOn: 'eventType', regex: '^[^$].*ed$' }, [0, 1, 2]],
      ])('lets through %s', async (_case, filter, numbers) => {
        await log.direct.append('job-1', [event('JobBilled', { number: 0 })], 'any');
        await log.direct.append('account-1', [event('JobBilled', { number: 1 })], 'any');
        await log.direct.append('rig-1', [event('HoldPlaced', { number: 2 })], 'any');
        const subscription = client.subscribeToAll({
          filter: { ...filter, checkpointInterval: 1 },
        });
        expect(numbersIn(await untilCaughtUp(subscription))).toEqual(numbers);
        await subscription.unsubscribe();
      });

      it('sends checkpoints over what is filtered out, and one when it has caught up', async () => {
        await log.direct.append('job-1', counted(1_000), 'no-stream');
        const reached = new EventEmitter<{ checkpoint: [bigint] }>();
        const checkpoints: bigint[] = [];
        reached.on('checkpoint', (position) => checkpoints.push(position));
        const subscription = client.subscribeToAll({
          filter: {
            filterOn: 'streamName',
            prefixes: ['rare-'],
            checkpointInterval: 2,
            checkpointReached: (_: unknown, { commit }: { commit: bigint }) => {
              reached.emit('checkpoint', commit);
            },
          },
        });
        expect(await untilCaughtUp(subscription)).toEqual([]);
        const before = await log.direct.head();
        expect(checkpoints.at(-1)).toBe(before);
        const next = once(reached, 'checkpoint');
        for (let from = 0; from < 64; from += 1) {
          await log.direct.append('job-1', counted(1, from), 'any');
        }
        expect(await next).toEqual([before + 64n]);
        await subscription.unsubscribe();
      });

      it('follows one stream after a revision', async () => {
        await log.direct.append('job-1', counted(4), 'no-stream');
        await log.direct.append('job-10', counted(4, 50), 'no-stream');
        const subscription = client.subscribeToStream('job-1', { fromRevision: 1n });
        const seen = await untilCaughtUp(subscription);
        const next = new Promise((resolve) => subscription.once('data', resolve));
        await log.direct.append('job-10', counted(1, 60), 'any');
        await log.direct.append('job-1', counted(1, 4), 'any');
        await next;
        expect(numbersIn(seen)).toEqual([2, 3, 4]);
        await subscription.unsubscribe();
        const whole = client.subscribeToStream('job-1');
        expect(numbersIn(await untilCaughtUp(whole))).toEqual([0, 1, 2, 3, 4]);
        await whole.unsubscribe();
        const absent = client.subscribeToStream('job-404');
        expect(await untilCaughtUp(absent)).toEqual([]);
        await absent.unsubscribe();
      });

      it('rejects a filter that is none', async () => {
        for (const filter of [
          { filterOn: 'streamName', regex: '(' },
          { filterOn: 'eventType', prefixes: [] },
        ]) {
          const subscription = client.subscribeToAll({
            filter: { ...filter, checkpointInterval: 1 },
          });
          expect(await failureOf(untilCaughtUp(subscription))).toMatchObject({ code: 3 });
        }
      });
    });

    it('rejects what it does not have, and says why', async () => {
      await append(client, 'job-1', counted(1), 'no-stream');
      const rejected = [
        [() => client.deleteStream('job-1'), /nothing is ever deleted/],
        [() => client.tombstoneStream('job-1'), /nothing is ever deleted/],
        [() => client.setStreamMetadata('job-1', { maxCount: 1 }), /custom metadata/],
        [() => client.listProjections(), /no projections in this server/],
      ] as const;
      for (const [attempt, reason] of rejected) {
        expect((await failureOf(attempt()))['message']).toMatch(reason);
      }
      expect(await readLog(log.direct)).toHaveLength(1);
    });

    it('tells where it is, for clients that discover their cluster', async () => {
      const discovering = connect(`${log.address},127.0.0.1:1?tls=false&maxDiscoverAttempts=3`);
      await append(discovering, 'job-1', [{ ...event(), id: randomUUID() }], 'no-stream');
      expect(await collect(discovering.readStream('job-1'))).toHaveLength(1);
      await discovering.dispose();
    });
  });
