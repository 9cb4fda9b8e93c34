import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { StaleRevisionError, StoreUnavailableError } from './event-store.errors.js';
import { type EventToAppend, type ExpectedRevision } from './event-store.port.js';
import {
  counted,
  event,
  metadata,
  numbersOf,
  onFreshLog,
  type OpenLog,
  readLog,
  readStream,
} from './event-store.fixture.js';

export const expectedRevisions = (open: OpenLog): void =>
  describe('expected revisions', () => {
    it(
      'gives the revision and the position of the last event',
      onFreshLog(open, async (store) => {
        const first = await store.append('job-1', counted(2), 'no-stream');
        const second = await store.append('job-1', counted(1), 1n);
        expect(first.revision).toBe(1n);
        expect(second.revision).toBe(2n);
        expect(first.position).toBeGreaterThan(0n);
        expect(second.position).toBeGreaterThan(first.position);
        expect((await readLog(store)).at(-1)?.position).toBe(second.position);
      }),
    );

    const rejected = (expected: ExpectedRevision, exists: boolean) =>
      onFreshLog(open, async (store) => {
        if (exists) await store.append('job-1', counted(2), 'no-stream');
        const before = await readLog(store);
        const attempt = store.append('job-1', [event('Other')], expected);
        await expect(attempt).rejects.toThrow(StaleRevisionError);
        await expect(attempt).rejects.toMatchObject({
          code: 'stale-revision',
          stream: 'job-1',
          expected,
          actual: exists ? 1n : null,
        });
        expect(await readLog(store)).toEqual(before);
      });

    it('rejects no-stream on a stream that is there', rejected('no-stream', true));
    it('rejects a revision that has passed', rejected(0n, true));
    it('rejects a revision that is still to come', rejected(7n, true));
    it('rejects a revision of a stream that is not there', rejected(0n, false));
    it('rejects stream-exists on a stream that is not there', rejected('stream-exists', false));

    it(
      'takes any, and stream-exists where there is one',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(1), 'any');
        await store.append('job-1', counted(1, 1), 'stream-exists');
        const { revision } = await store.append('job-1', counted(1, 2), 'any');
        expect(revision).toBe(2n);
        expect(numbersOf(await readStream(store, 'job-1'))).toEqual([0, 1, 2]);
      }),
    );

    it(
      'counts each stream for itself',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(3), 'no-stream');
        expect((await store.append('job-2', counted(1), 'no-stream')).revision).toBe(0n);
      }),
    );

    it(
      'lets exactly one of many win each revision',
      onFreshLog(open, async (store) => {
        const outcomes: PromiseSettledResult<unknown>[] = [];
        for (const expected of ['no-stream', 0n, 1n] as const) {
          const rivals = Array.from({ length: 20 }, (_, rival) =>
            store.append('job-1', [event('Counted', { rival })], expected),
          );
          outcomes.push(...(await Promise.allSettled(rivals)));
        }
        const lost = outcomes.flatMap((outcome) =>
          outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
        );
        expect(lost).toHaveLength(57);
        for (const error of lost) expect(error).toBeInstanceOf(StaleRevisionError);
        expect(await readStream(store, 'job-1')).toHaveLength(3);
      }),
    );
  });

export const repeatedAppends = (open: OpenLog): void =>
  describe('repeated appends', () => {
    it.each<ExpectedRevision>(['no-stream', 0n, 'any', 'stream-exists'])(
      'recognises the same ids at expected revision %s and appends nothing',
      (expected) =>
        onFreshLog(open, async (store) => {
          if (expected !== 'no-stream') await store.append('job-1', counted(1), 'no-stream');
          const events = counted(2);
          const first = await store.append('job-1', events, expected);
          const before = await readLog(store);
          expect(await store.append('job-1', events, expected)).toEqual(first);
          expect(await readLog(store)).toEqual(before);
        })(),
    );

    it(
      'recognises a repeat after others have appended',
      onFreshLog(open, async (store) => {
        const events = counted(2);
        const first = await store.append('job-1', events, 'no-stream');
        await store.append('job-1', counted(3), 1n);
        await store.append('job-2', counted(3), 'no-stream');
        expect(await store.append('job-1', events, 'no-stream')).toEqual(first);
      }),
    );

    it(
      'recognises a repeat that is sent while the first is under way',
      onFreshLog(open, async (store) => {
        const events = counted(2);
        const [first, second] = await Promise.all([
          store.append('job-1', events, 'no-stream'),
          store.append('job-1', events, 'no-stream'),
        ]);
        expect(second).toEqual(first);
        expect(await readLog(store)).toHaveLength(2);
      }),
    );

    it(
      'recognises a repeat through another handle',
      onFreshLog(open, async (store, { openAnother }) => {
        const events = counted(2);
        const first = await store.append('job-1', events, 'no-stream');
        const another = await openAnother();
        expect(await another.append('job-1', events, 'no-stream')).toEqual(first);
        expect(await readLog(another)).toHaveLength(2);
      }),
    );

    it(
      'rejects the same ids at another revision',
      onFreshLog(open, async (store) => {
        const events = counted(2);
        await store.append('job-1', events, 'no-stream');
        await store.append('job-1', counted(2), 1n);
        await expect(store.append('job-1', events, 0n)).rejects.toThrow(StaleRevisionError);
        await expect(store.append('job-1', events, 7n)).rejects.toThrow(StaleRevisionError);
      }),
    );

    it(
      'rejects a repeat that has grown, shrunk at the front or changed in part',
      onFreshLog(open, async (store) => {
        const [first, second] = [event(), event()];
        await store.append('job-1', [first, second], 'no-stream');
        const attempts = [[first, second, event()], [second], [first, event()], [event(), second]];
        for (const events of attempts) {
          const attempt = store.append('job-1', events, 'no-stream');
          await expect(attempt).rejects.toThrow(StaleRevisionError);
        }
        expect(await readLog(store)).toHaveLength(2);
      }),
    );
  });

export const atomicity = (open: OpenLog): void =>
  describe('one append', () => {
    it(
      'lands whole, in order and without a gap, however many land with it',
      onFreshLog(open, async (store) => {
        const appends = Array.from({ length: 50 }, (_, index) =>
          store.append(`job-${index}`, counted(1 + (index % 7)), 'no-stream'),
        );
        await Promise.all(appends);
        for (let index = 0; index < 50; index += 1) {
          const events = await readStream(store, `job-${index}`);
          expect(numbersOf(events)).toEqual(Array.from({ length: 1 + (index % 7) }, (_, n) => n));
        }
      }),
    );

    it(
      'is not spoilt by rejected ones beside it',
      onFreshLog(open, async (store) => {
        const outcomes = await Promise.allSettled([
          store.append('job-1', counted(1), 'no-stream'),
          store.append('job-2', counted(1), 5n),
          store.append('job-3', counted(1), 'no-stream'),
          store.append('job-1', counted(1), 'no-stream'),
          store.append('job-1', counted(1, 1), 0n),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'fulfilled',
          'rejected',
          'fulfilled',
        ]);
        expect(await readLog(store)).toHaveLength(3);
      }),
    );

    it(
      'keeps every field as it was given',
      onFreshLog(open, async (store) => {
        const given: EventToAppend = {
          id: randomUUID(),
          type: 'RateCardPublished',
          data: {
            text: 'Zoë 価格 \u{1F9F6} \u0000 \n "quoted" \\ \u2028',
            nested: { list: [1, 2.5, -0.1, null, true, { deep: [] }] },
            amountMicroUsd: '900719925474099312345',
          },
          metadata: { ...metadata, version: 3, actor: 'user:Zoë 🧶' },
        };
        const startedAt = Date.now();
        const { position } = await store.append('rate-card-acme/llama-70b', [given], 'no-stream');
        const [recorded] = await readStream(store, 'rate-card-acme/llama-70b');
        expect(recorded).toEqual({
          ...given,
          stream: 'rate-card-acme/llama-70b',
          revision: 0n,
          position,
          recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        });
        const hour = 3_600_000;
        expect(Math.abs(Date.parse(recorded?.recordedAt ?? '') - startedAt)).toBeLessThan(hour);
      }),
    );
  });

export const closing = (open: OpenLog): void =>
  describe('closing', () => {
    it(
      'settles every append that was under way, and keeps what it acknowledged',
      onFreshLog(open, async (store, { openAnother }) => {
        const appends = Array.from({ length: 200 }, (_, index) =>
          store.append(`job-${index}`, counted(2), 'no-stream'),
        );
        const [outcomes] = await Promise.all([Promise.allSettled(appends), store.close()]);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') {
            expect(outcome.reason).toBeInstanceOf(StoreUnavailableError);
          }
        }
        const landed = outcomes.filter(({ status }) => status === 'fulfilled').length;
        expect(await readLog(await openAnother())).toHaveLength(2 * landed);
      }),
    );

    it(
      'rejects every use afterwards, and may be asked twice',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(1), 'no-stream');
        await Promise.all([store.close(), store.close()]);
        await store.close();
        const { signal } = new AbortController();
        const uses = [
          () => store.append('job-1', counted(1), 'any'),
          () => store.head(),
          () => readStream(store, 'job-1'),
          () => readLog(store),
          async () => {
            for await (const _ of store.subscribe({ signal })) expect(_).toBeNull();
          },
        ];
        for (const use of uses) await expect(use()).rejects.toThrow(StoreUnavailableError);
        expect(await store.health()).toMatchObject({ writable: false });
      }),
    );
  });
