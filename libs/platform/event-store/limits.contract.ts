import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EVENT_OVERHEAD_BYTES } from './append.encoding.js';
import { AppendTooLargeError, InvalidAppendError } from './event-store.errors.js';
import { type EventToAppend } from './event-store.port.js';
import {
  counted,
  event,
  follow,
  metadata,
  onFreshLog,
  type OpenLog,
  readLog,
  readStream,
} from './event-store.fixture.js';

const MEBIBYTE = 1_048_576;

/** An event that takes exactly so many bytes of an append. */
const eventOfBytes = (bytes: number, filler: string): EventToAppend => {
  const empty = Buffer.byteLength(JSON.stringify({ text: '' }) + JSON.stringify(metadata));
  const room = bytes - empty - 2 * 'Counted'.length - EVENT_OVERHEAD_BYTES;
  const whole = Math.floor(room / Buffer.byteLength(filler));
  const rest = room - whole * Buffer.byteLength(filler);
  return event('Counted', { text: filler.repeat(whole) + '.'.repeat(rest) });
};

export const instants = (open: OpenLog): void =>
  describe('the instant of an event', () => {
    it(
      'is the one that is given, wherever the event is stored later',
      onFreshLog(open, async (store, { openAnother }) => {
        const [first, second] = ['2019-12-31T23:59:59.999Z', '2031-01-01T00:00:00.000Z'];
        const another = await openAnother();
        const seen = follow(another, {}, ({ length }) => length === 3);
        await store.append(
          'job-1',
          [{ ...event(), recordedAt: first }, event(), { ...event(), recordedAt: second }],
          'no-stream',
        );
        const instants = (await readStream(store, 'job-1')).map(({ recordedAt }) => recordedAt);
        expect([instants[0], instants[2]]).toEqual([first, second]);
        expect(instants[1]?.slice(0, 4)).toBe(new Date().toISOString().slice(0, 4));
        expect((await readLog(another)).map(({ recordedAt }) => recordedAt)).toEqual(instants);
        const { events } = await seen;
        expect(events.map(({ recordedAt }) => recordedAt)).toEqual(instants);
        expect(events.map((one) => one.metadata)).toEqual([metadata, metadata, metadata]);
      }),
    );

    it.each(['2026-01-01', '2026-01-01T00:00:00Z', '2026-02-30T00:00:00.000Z', 'now'])(
      'is not %s',
      (recordedAt) =>
        onFreshLog(open, async (store) => {
          const attempt = store.append('job-1', [{ ...event(), recordedAt }], 'any');
          await expect(attempt).rejects.toThrow(InvalidAppendError);
        })(),
    );
  });

export const limits = (open: OpenLog): void =>
  describe('limits', () => {
    it(
      'takes 1,000 events and rejects none and 1,001',
      onFreshLog(open, async (store) => {
        await store.append('job-1', counted(1_000), 'no-stream');
        await expect(store.append('job-2', counted(1_001), 'no-stream')).rejects.toThrow(
          AppendTooLargeError,
        );
        await expect(store.append('job-2', [], 'any')).rejects.toThrow(InvalidAppendError);
        expect(await readLog(store)).toHaveLength(1_000);
      }),
    );

    it.each(['x', 'é', '価', '🧶'])(
      'takes 1 MiB written with %s and rejects a byte more',
      (filler) =>
        onFreshLog(open, async (store) => {
          const fits = eventOfBytes(MEBIBYTE, filler);
          await store.append('job-1', [fits], 'no-stream');
          expect((await readStream(store, 'job-1'))[0]?.data).toEqual(fits.data);
          const tooLarge = store.append('job-1', [eventOfBytes(MEBIBYTE + 1, filler)], 0n);
          await expect(tooLarge).rejects.toThrow(AppendTooLargeError);
        })(),
    );

    it(
      'takes 1,000 events that fill it, and rejects a byte more',
      onFreshLog(open, async (store) => {
        const share = Math.floor(MEBIBYTE / 1_000);
        const rest = MEBIBYTE - 999 * share;
        const others = Array.from({ length: 999 }, () => eventOfBytes(share, 'x'));
        const tooLarge = [...others, eventOfBytes(rest + 1, 'x')];
        await expect(store.append('job-1', tooLarge, 'no-stream')).rejects.toThrow(
          AppendTooLargeError,
        );
        await store.append('job-1', [...others, eventOfBytes(rest, 'x')], 'no-stream');
        expect(await readLog(store)).toHaveLength(1_000);
      }),
    );

    it(
      'takes 1 MiB of an event with the longest type',
      onFreshLog(open, async (store) => {
        const type = 'T'.repeat(200);
        const json = JSON.stringify({ text: '' }).length + JSON.stringify(metadata).length;
        const room = MEBIBYTE - json - 2 * type.length - EVENT_OVERHEAD_BYTES;
        await store.append('job-1', [event(type, { text: 'x'.repeat(room) })], 'no-stream');
        const tooLarge = store.append('job-1', [event(type, { text: 'x'.repeat(room + 1) })], 0n);
        await expect(tooLarge).rejects.toThrow(AppendTooLargeError);
      }),
    );

    it(
      'counts all events of an append together',
      onFreshLog(open, async (store) => {
        const halves = [eventOfBytes(MEBIBYTE / 2, 'x'), eventOfBytes(MEBIBYTE / 2 + 1, 'x')];
        const attempt = store.append('job-1', halves, 'no-stream');
        await expect(attempt).rejects.toThrow(AppendTooLargeError);
        expect(await readLog(store)).toEqual([]);
      }),
    );

    it(
      'rejects what is no name of a stream',
      onFreshLog(open, async (store) => {
        const names = ['', 'job', 'job-', '-1', '$job-1', 'job 1-2', 'job-\n', 'job-é'];
        for (const stream of [...names, `job-${'1'.repeat(197)}`]) {
          const attempt = store.append(stream, counted(1), 'any');
          await expect(attempt).rejects.toThrow(InvalidAppendError);
        }
        expect(await readLog(store)).toEqual([]);
      }),
    );

    it(
      'takes a name of 200 characters',
      onFreshLog(open, async (store) => {
        const stream = `job-${'1'.repeat(196)}`;
        await store.append(stream, counted(1), 'no-stream');
        expect(await readStream(store, stream)).toHaveLength(1);
      }),
    );

    const malformed: readonly Partial<EventToAppend>[] = [
      { id: 'job-1' },
      { id: randomUUID().toUpperCase() },
      { type: '' },
      { type: 'Job submitted' },
      { data: [] },
      // Not JSON at all, and no object any more once it is JSON.
      { data: { amount: 1n } },
      { data: new Date(0) },
    ];

    it(
      'rejects a malformed event, and with it the whole append',
      onFreshLog(open, async (store) => {
        for (const part of malformed) {
          const attempt = store.append('job-1', [event(), { ...event(), ...part }], 'no-stream');
          await expect(attempt).rejects.toThrow(InvalidAppendError);
        }
        expect(await readLog(store)).toEqual([]);
      }),
    );

    it(
      'rejects one id twice in an append, and a revision below zero',
      onFreshLog(open, async (store) => {
        const twice = event();
        await expect(store.append('job-1', [twice, twice], 'any')).rejects.toThrow(
          InvalidAppendError,
        );
        await expect(store.append('job-1', counted(1), -1n)).rejects.toThrow(InvalidAppendError);
      }),
    );
  });
