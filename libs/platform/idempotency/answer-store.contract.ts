import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Clock } from '#platform/kernel/clock.js';
import {
  type Admission,
  ANSWER_BYTES_MAX,
  ANSWER_KEPT_MS,
  ANSWER_TIMES,
  type AnswerStore,
  type AnswerTimes,
  type IdempotentRequest,
  type LeftAttempt,
  type SettleAttempt,
  type StartedAttempt,
  type StoredAnswer,
} from './answer-store.port.js';

/** One store, reached through as many handles as a test asks for. */
export interface AnswerStoreUnderTest {
  /** Another handle on the same answers, as another process would have. */
  open(clock: Clock, times: AnswerTimes): Promise<AnswerStore>;
  /** Deletes the answers; the handles are closed by then. */
  remove(): Promise<void>;
}

/** Attempts lapse by the clock of the test: no renewal comes unless a test asks for it. */
const TIMES: AnswerTimes = { ...ANSWER_TIMES, heartbeatMs: 600_000 };
const LEASE_MS = TIMES.leaseMs;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const request: Omit<IdempotentRequest, 'attempt'> = {
  scope: 'user-7',
  key: 'order 66',
  body: bytes('{"model":"nano","messages":[{"role":"user","content":"é 漢字"}]}'),
};

const notLeft: SettleAttempt = ({ attempt }) => {
  throw new Error(`${attempt} was not left`);
};
const free: SettleAttempt = () => Promise.resolve('free');

const streamed: StoredAnswer = {
  status: 200,
  headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r-1' },
  body: bytes('data: {"choices":[]}\n\ndata: [DONE]\n\n'),
};

/**
 * What every adapter promises. `create` makes an empty store; a second adapter supplies nothing
 * else.
 */
export const answerStoreContract = (adapter: string, create: () => Promise<AnswerStoreUnderTest>) =>
  describe(`AnswerStore contract: ${adapter}`, () => {
    let underTest: AnswerStoreUnderTest;
    let store: AnswerStore;
    let handles: AnswerStore[];
    let nowMs: number;

    const open = async (times = TIMES): Promise<AnswerStore> => {
      const handle = await underTest.open({ now: () => nowMs }, times);
      handles.push(handle);
      return handle;
    };

    /** A new attempt, as every request is one. */
    const admit = (
      asked = request,
      handle = store,
      settle = notLeft,
      attempt: string = randomUUID(),
    ): Promise<Admission> => handle.admit({ ...asked, attempt }, settle);

    const start = async (...asked: Parameters<typeof admit>): Promise<StartedAttempt> => {
      const admission = await admit(...asked);
      if (admission.outcome !== 'started') throw new Error(`it was ${admission.outcome}`);
      return admission;
    };

    const outcome = async (...asked: Parameters<typeof admit>): Promise<string> =>
      (await admit(...asked)).outcome;

    beforeEach(async () => {
      nowMs = 1_800_000_000_000;
      handles = [];
      underTest = await create();
      store = await open();
    });

    afterEach(async () => {
      await Promise.all(handles.map((handle) => handle.close()));
      await underTest.remove();
    });

    describe('a key', () => {
      it('starts once and replays the answer to the byte', async () => {
        const { finish } = await start();
        expect(await finish(streamed)).toBe('kept');
        expect(await admit()).toEqual({ outcome: 'replay', answer: streamed });
        expect(await admit()).toEqual({ outcome: 'replay', answer: streamed });
      });

      it('replays failures and empty bodies as well', async () => {
        const failed = { status: 400, headers: {}, body: new Uint8Array() };
        await (await start()).finish(failed);
        expect(await admit()).toEqual({ outcome: 'replay', answer: failed });
      });

      it('is running until it is answered', async () => {
        await start();
        expect(await outcome()).toBe('running');
      });

      it('conflicts with another body, while it runs and after', async () => {
        const other = { ...request, body: bytes('{}') };
        const { finish } = await start();
        expect(await outcome(other)).toBe('conflict');
        await finish(streamed);
        expect(await outcome(other)).toBe('conflict');
      });

      it('belongs to its caller', async () => {
        await (await start()).finish(streamed);
        expect(await outcome({ ...request, scope: 'user-8' })).toBe('started');
      });

      it('is free again when it is abandoned, for any body', async () => {
        await (await start()).abandon();
        expect(await outcome({ ...request, body: bytes('{}') })).toBe('started');
      });

      it('stays answered whatever is said afterwards', async () => {
        const { finish, abandon } = await start();
        await finish(streamed);
        await abandon();
        expect(await finish({ ...streamed, status: 500 })).toBe('superseded');
        expect(await admit()).toEqual({ outcome: 'replay', answer: streamed });
      });

      it.each(['', 'x'.repeat(256), 'tab\t', 'ключ', 'line\n'])('is refused: %j', async (key) => {
        await expect(admit({ ...request, key })).rejects.toMatchObject({
          name: 'AnswerStoreError',
          code: 'invalid-key',
        });
      });

      it.each(['x', 'x'.repeat(255), ' !"~'])('is taken: %j', async (key) => {
        expect(await outcome({ ...request, key })).toBe('started');
      });
    });

    describe('at once', () => {
      it('starts one of fifty', async () => {
        const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome()));
        expect(outcomes.filter((one) => one === 'started')).toHaveLength(1);
        expect(outcomes.filter((one) => one === 'running')).toHaveLength(49);
      });

      it('starts one of fifty over several processes', async () => {
        const [second, third] = await Promise.all([open(), open()]);
        const asked = Array.from({ length: 50 }, (_, n) =>
          outcome(request, [store, second, third][n % 3]),
        );
        const started = (await Promise.all(asked)).filter((one) => one === 'started');
        expect(started).toHaveLength(1);
      });

      it('starts fifty different keys', async () => {
        const asked = Array.from({ length: 50 }, (_, n) => outcome({ ...request, key: `k${n}` }));
        expect(new Set(await Promise.all(asked))).toEqual(new Set(['started']));
      });
    });

    describe('a large answer', () => {
      const sized = (length: number): StoredAnswer => ({
        ...streamed,
        body: new Uint8Array(length).fill(120),
      });

      it('is kept up to the limit', async () => {
        expect(await (await start()).finish(sized(ANSWER_BYTES_MAX))).toBe('kept');
        const admission = await admit();
        if (admission.outcome !== 'replay') throw new Error(`it was ${admission.outcome}`);
        expect(Buffer.compare(admission.answer.body, sized(ANSWER_BYTES_MAX).body)).toBe(0);
      });

      it('is not kept above it, and the key stays used', async () => {
        expect(await (await start()).finish(sized(ANSWER_BYTES_MAX + 1))).toBe('too-large');
        expect(await outcome()).toBe('too-large');
        expect(await outcome({ ...request, body: bytes('{}') })).toBe('conflict');
      });

      it('need not be gathered to be said too large', async () => {
        expect(await (await start()).finish('too-large')).toBe('too-large');
        expect(await outcome()).toBe('too-large');
      });
    });

    describe('another process', () => {
      it('replays what the first one answered, also after a restart', async () => {
        await (await start()).finish(streamed);
        expect(await outcome(request, await open())).toBe('replay');
        await store.close();
        expect(await outcome(request, await open())).toBe('replay');
      });

      it('waits for one that is there', async () => {
        await start();
        expect(await outcome(request, await open())).toBe('running');
      });

      it('starts again what one that is gone left running, at the end of its lease', async () => {
        await start();
        await store.close();
        nowMs += LEASE_MS;
        const second = await open();
        expect(await outcome(request, second, free)).toBe('started');
        expect(await outcome(request, second)).toBe('running');
      });

      it('still refuses another body for what one that is gone left running', async () => {
        await start();
        await store.close();
        nowMs += LEASE_MS;
        expect(await outcome({ ...request, body: bytes('{}') }, await open())).toBe('conflict');
      });
    });

    describe('an attempt that was left', () => {
      const lost = 'the first attempt';
      const asked: LeftAttempt[] = [];
      const charged: SettleAttempt = (left) => {
        asked.push(left);
        return Promise.resolve('charged');
      };

      beforeEach(async () => {
        asked.length = 0;
        await (await start(request, store, notLeft, lost)).leave();
        nowMs += 5;
      });

      it('is asked after by its name and the time of its start', async () => {
        await outcome(request, store, charged);
        expect(asked).toEqual([{ attempt: lost, startedAtMs: nowMs - 5 }]);
      });

      it('and not charged is started again, by one of all who ask', async () => {
        const second = await open();
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, n) => outcome(request, n % 2 ? second : store, free)),
        );
        expect(outcomes.sort()).toEqual([...Array<string>(19).fill('running'), 'started']);
      });

      it('and charged is never started again, nor asked after again', async () => {
        expect(await outcome(request, store, charged)).toBe('charged');
        expect(await outcome(request, await open())).toBe('charged');
        expect(await outcome({ ...request, body: bytes('{}') })).toBe('conflict');
        nowMs += ANSWER_KEPT_MS;
        expect(await outcome()).toBe('started');
      });

      it('stays as it is while its cost cannot be found out', async () => {
        const unknown: SettleAttempt = () => Promise.reject(new Error('the log is away'));
        await expect(outcome(request, store, unknown)).rejects.toThrow('the log is away');
        expect(await outcome(request, store, charged)).toBe('charged');
      });

      it('may be left again by the one that started it again', async () => {
        await (await start(request, store, free, 'the second')).leave();
        await outcome(request, store, charged);
        expect(asked).toMatchObject([{ attempt: 'the second' }]);
      });

      it('is free no more once it ends after all', async () => {
        const ending = await start({ ...request, key: 'other' });
        await ending.leave();
        expect(await ending.finish(streamed)).toBe('kept');
        expect(await outcome({ ...request, key: 'other' })).toBe('replay');
      });

      it('is left as well when its store is closed', async () => {
        const second = await open();
        await start({ ...request, key: 'other' }, second, notLeft, 'of the second');
        await second.close();
        await outcome({ ...request, key: 'other' }, store, charged);
        expect(asked).toMatchObject([{ attempt: 'of the second' }]);
      });
    });

    describe('a process that lives', () => {
      const BEAT_MS = 5;

      /** As the clock is asked once for each renewal. */
      const openBeating = async (): Promise<{
        readonly beating: AnswerStore;
        readonly beats: (count: number) => Promise<void>;
      }> => {
        let asked = 0;
        const clock = {
          now: () => {
            asked += 1;
            return nowMs;
          },
        };
        const beating = await underTest.open(clock, { ...TIMES, heartbeatMs: BEAT_MS });
        handles.push(beating);
        const beats = async (count: number): Promise<void> => {
          const until = asked + count;
          while (asked < until) await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
        };
        return { beating, beats };
      };

      it('keeps its attempts running for as long as they take', async () => {
        const { beating, beats } = await openBeating();
        await Promise.all([start(request, beating), start({ ...request, key: 'b' }, beating)]);
        for (let lease = 0; lease < 3; lease += 1) {
          nowMs += LEASE_MS - 1;
          // The second of them began after the clock had moved, and the third after it had ended.
          await beats(3);
        }
        expect(await outcome()).toBe('running');
        expect(await outcome({ ...request, key: 'b' })).toBe('running');
      });

      it('renews no attempt that it has left', async () => {
        const { beating, beats } = await openBeating();
        const { leave } = await start(request, beating);
        await start({ ...request, key: 'b' }, beating);
        await leave();
        await beats(3);
        expect(await outcome(request, store, free)).toBe('started');
      });
    });

    describe('an attempt that stood still', () => {
      it('is confirmed while no other has taken over, also late', async () => {
        const { confirm } = await start();
        expect(await confirm()).toBe(true);
        nowMs += 2 * LEASE_MS;
        expect(await confirm()).toBe(true);
        expect(await outcome()).toBe('running');
      });

      it('is not confirmed once another has taken over', async () => {
        const { confirm } = await start();
        nowMs += LEASE_MS;
        const second = await start(request, await open(), free);
        expect(await confirm()).toBe(false);
        expect(await second.confirm()).toBe(true);
      });

      it('and is confirmed while it is settled is not taken over', async () => {
        const { confirm } = await start();
        nowMs += LEASE_MS;
        const settle: SettleAttempt = async () => {
          expect(await confirm()).toBe(true);
          return 'free';
        };
        expect(await outcome(request, await open(), settle)).toBe('running');
      });

      it('and ends while it is settled as charged is replayed', async () => {
        const { finish } = await start();
        nowMs += LEASE_MS;
        const settle: SettleAttempt = async () => {
          expect(await finish(streamed)).toBe('kept');
          return 'charged';
        };
        expect(await outcome(request, await open(), settle)).toBe('replay');
      });

      it('and ends while it is settled as free is replayed', async () => {
        const { finish } = await start();
        nowMs += LEASE_MS;
        const settle: SettleAttempt = async () => {
          expect(await finish(streamed)).toBe('kept');
          return 'free';
        };
        expect(await outcome(request, await open(), settle)).toBe('replay');
      });

      it('keeps its answer although a retry was refused meanwhile', async () => {
        const { finish } = await start();
        nowMs += LEASE_MS;
        const charged: SettleAttempt = () => Promise.resolve('charged');
        expect(await outcome(request, await open(), charged)).toBe('charged');
        expect(await finish(streamed)).toBe('kept');
        expect(await admit()).toEqual({ outcome: 'replay', answer: streamed });
      });
    });

    describe('the first attempt at a request', () => {
      const first = 'the first';

      it('is itself, and names those that take over from it', async () => {
        const begun = await start(request, store, notLeft, first);
        expect(begun.firstAttempt).toBe(first);
        await begun.leave();
        const second = await start(request, await open(), free, 'the second');
        expect(second.firstAttempt).toBe(first);
        await second.leave();
        expect(await start(request, store, free, 'the third')).toMatchObject({
          firstAttempt: first,
        });
      });

      it('is another once the key was freed or has expired', async () => {
        await (await start(request, store, notLeft, first)).abandon();
        const second = await start(request, store, notLeft, 'the second');
        expect(second.firstAttempt).toBe('the second');
        nowMs += ANSWER_KEPT_MS;
        const third = await start(request, store, notLeft, 'the third');
        expect(third.firstAttempt).toBe('the third');
      });
    });

    describe('time', () => {
      it('lets a lease hold to its end and no longer', async () => {
        await start();
        nowMs += LEASE_MS - 1;
        expect(await outcome()).toBe('running');
        nowMs += 1;
        expect(await outcome(request, store, free)).toBe('started');
      });

      it('keeps the answer of the second, not of the first who comes late', async () => {
        const first = await start();
        nowMs += LEASE_MS;
        const second = await start(request, store, free);
        expect(await first.finish({ ...streamed, status: 500 })).toBe('superseded');
        await first.abandon();
        expect(await outcome()).toBe('running');
        expect(await second.finish(streamed)).toBe('kept');
        expect(await admit()).toEqual({ outcome: 'replay', answer: streamed });
      });

      it('keeps the answer of one who comes late when no other was started', async () => {
        const { finish } = await start();
        nowMs += 2 * LEASE_MS;
        expect(await finish(streamed)).toBe('kept');
      });

      it('forgets an answer 24 hours after it was given, swept or not', async () => {
        const { finish } = await start();
        nowMs += LEASE_MS;
        await finish(streamed);
        nowMs += ANSWER_KEPT_MS - 1;
        expect(await outcome()).toBe('replay');
        nowMs += 1;
        expect(await outcome({ ...request, body: bytes('{}') })).toBe('started');
      });

      it('sweeps away what has expired and nothing else', async () => {
        await (await start()).finish(streamed);
        await start({ ...request, key: 'left running' });
        nowMs += 1;
        await (await start({ ...request, key: 'later' })).finish(streamed);
        nowMs += ANSWER_KEPT_MS - 1;
        expect(await store.sweep()).toBe(2);
        expect(await store.sweep()).toBe(0);
        expect(await outcome({ ...request, key: 'later' })).toBe('replay');
      });
    });

    it('refuses work once it is closed', async () => {
      const { finish } = await start();
      await store.close();
      await store.close();
      const unavailable = { name: 'AnswerStoreError', code: 'store-unavailable' };
      await expect(admit()).rejects.toMatchObject(unavailable);
      await expect(finish(streamed)).rejects.toMatchObject(unavailable);
    });
  });
