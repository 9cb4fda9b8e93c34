import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { attemptsContract } from './attempts.contract.js';
import { ANSWER_BYTES_MAX, ANSWER_KEPT_MS, type StoredAnswer } from './answer-store.port.js';
import {
  AnswerStage,
  type AnswerStoreUnderTest,
  bytes,
  free,
  LEASE_MS,
  request,
  streamed,
} from './answer-store.fixture.js';

/**
 * The promises of every adapter. `create` makes an empty store; a second adapter supplies nothing
 * else.
 */
export const answerStoreContract = (adapter: string, create: () => Promise<AnswerStoreUnderTest>) =>
  describe(`AnswerStore contract: ${adapter}`, () => {
    let stage: AnswerStage;

    beforeEach(async () => {
      stage = new AnswerStage(await create());
      await stage.open();
    });

    afterEach(() => stage.close());

    describe('a key', () => {
      it('starts once and replays the answer to the byte', async () => {
        const { finish } = await stage.start();
        expect(await finish(streamed)).toBe('kept');
        expect(await stage.admit()).toEqual({ outcome: 'replay', answer: streamed });
        expect(await stage.admit()).toEqual({ outcome: 'replay', answer: streamed });
      });

      it('replays failures and empty bodies as well', async () => {
        const failed = { status: 400, headers: {}, body: new Uint8Array() };
        await (await stage.start()).finish(failed);
        expect(await stage.admit()).toEqual({ outcome: 'replay', answer: failed });
      });

      it('is running until it is answered', async () => {
        await stage.start();
        expect(await stage.outcome()).toBe('running');
      });

      it('conflicts with another body, while it runs and after', async () => {
        const other = { ...request, body: bytes('{}') };
        const { finish } = await stage.start();
        expect(await stage.outcome(other)).toBe('conflict');
        await finish(streamed);
        expect(await stage.outcome(other)).toBe('conflict');
      });

      it('starts again when the log no longer has the event that its answer rests on', async () => {
        const events = ['first'];
        const log = {
          lastEvent: () => events.at(-1) ?? null,
          has: (event: string) => Promise.resolve(events.includes(event)),
        };
        const handle = await stage.open(undefined, undefined, log);
        const { firstAttempt, finish } = await stage.start(request, handle);
        events.push('second');
        await finish(streamed);
        expect(await stage.outcome(request, handle)).toBe('replay');
        // The log is restored from a backup, and grows again.
        events.splice(1, 1, 'other');
        const again = await stage.start(request, handle);
        expect(again.firstAttempt).toBe(firstAttempt);
        expect(await stage.outcome(request, handle)).toBe('running');
        await again.finish({ ...streamed, status: 201 });
        const answer = { ...streamed, status: 201 };
        expect(await stage.admit(request, handle)).toEqual({ outcome: 'replay', answer });
      });

      it('belongs to its caller', async () => {
        await (await stage.start()).finish(streamed);
        expect(await stage.outcome({ ...request, scope: 'user-8' })).toBe('started');
      });

      it('is free again when it is abandoned, for any body', async () => {
        await (await stage.start()).abandon();
        expect(await stage.outcome({ ...request, body: bytes('{}') })).toBe('started');
      });

      it('stays answered whatever is said afterwards', async () => {
        const { finish, abandon } = await stage.start();
        await finish(streamed);
        await abandon();
        expect(await finish({ ...streamed, status: 500 })).toBe('superseded');
        expect(await stage.admit()).toEqual({ outcome: 'replay', answer: streamed });
      });

      it.each(['', 'x'.repeat(256), 'tab\t', 'ключ', 'line\n'])('is rejected: %j', async (key) => {
        await expect(stage.admit({ ...request, key })).rejects.toMatchObject({
          name: 'AnswerStoreError',
          code: 'invalid-key',
        });
      });

      it.each(['x', 'x'.repeat(255), ' !"~'])('is taken: %j', async (key) => {
        expect(await stage.outcome({ ...request, key })).toBe('started');
      });
    });

    describe('at once', () => {
      it('starts one of fifty', async () => {
        const outcomes = await Promise.all(Array.from({ length: 50 }, () => stage.outcome()));
        expect(outcomes.filter((one) => one === 'started')).toHaveLength(1);
        expect(outcomes.filter((one) => one === 'running')).toHaveLength(49);
      });

      it('starts one of fifty over several processes', async () => {
        const [second, third] = await Promise.all([stage.open(), stage.open()]);
        const asked = Array.from({ length: 50 }, (_, n) =>
          stage.outcome(request, [stage.store, second, third][n % 3]),
        );
        const started = (await Promise.all(asked)).filter((one) => one === 'started');
        expect(started).toHaveLength(1);
      });

      it('starts fifty different keys', async () => {
        const asked = Array.from({ length: 50 }, (_, n) =>
          stage.outcome({ ...request, key: `k${n}` }),
        );
        expect(new Set(await Promise.all(asked))).toEqual(new Set(['started']));
      });
    });

    describe('a large answer', () => {
      const sized = (length: number): StoredAnswer => ({
        ...streamed,
        body: new Uint8Array(length).fill(120),
      });

      it('is kept up to the limit', async () => {
        expect(await (await stage.start()).finish(sized(ANSWER_BYTES_MAX))).toBe('kept');
        const admission = await stage.admit();
        if (admission.outcome !== 'replay') throw new Error(`it was ${admission.outcome}`);
        expect(Buffer.compare(admission.answer.body, sized(ANSWER_BYTES_MAX).body)).toBe(0);
      });

      it('is not kept above it, and the key stays used', async () => {
        expect(await (await stage.start()).finish(sized(ANSWER_BYTES_MAX + 1))).toBe('too-large');
        expect(await stage.outcome()).toBe('too-large');
        expect(await stage.outcome({ ...request, body: bytes('{}') })).toBe('conflict');
      });

      it('need not be gathered to be said too large', async () => {
        expect(await (await stage.start()).finish('too-large')).toBe('too-large');
        expect(await stage.outcome()).toBe('too-large');
      });
    });

    describe('another process', () => {
      it('replays what the first one answered, also after a restart', async () => {
        await (await stage.start()).finish(streamed);
        expect(await stage.outcome(request, await stage.open())).toBe('replay');
        await stage.store.close();
        expect(await stage.outcome(request, await stage.open())).toBe('replay');
      });

      it('waits for one that is there', async () => {
        await stage.start();
        expect(await stage.outcome(request, await stage.open())).toBe('running');
      });

      it('starts again what one that is gone left running, at the end of its lease', async () => {
        await stage.start();
        await stage.store.close();
        stage.nowMs += LEASE_MS;
        const second = await stage.open();
        expect(await stage.outcome(request, second, free)).toBe('started');
        expect(await stage.outcome(request, second)).toBe('running');
      });

      it('still rejects another body after the process of the first one is gone', async () => {
        await stage.start();
        await stage.store.close();
        stage.nowMs += LEASE_MS;
        expect(await stage.outcome({ ...request, body: bytes('{}') }, await stage.open())).toBe(
          'conflict',
        );
      });
    });

    describe('time', () => {
      it('lets a lease hold to its end and no longer', async () => {
        await stage.start();
        stage.nowMs += LEASE_MS - 1;
        expect(await stage.outcome()).toBe('running');
        stage.nowMs += 1;
        expect(await stage.outcome(request, stage.store, free)).toBe('started');
      });

      it('keeps the answer of the second, not of the first who comes late', async () => {
        const first = await stage.start();
        stage.nowMs += LEASE_MS;
        const second = await stage.start(request, stage.store, free);
        expect(await first.finish({ ...streamed, status: 500 })).toBe('superseded');
        await first.abandon();
        expect(await stage.outcome()).toBe('running');
        expect(await second.finish(streamed)).toBe('kept');
        expect(await stage.admit()).toEqual({ outcome: 'replay', answer: streamed });
      });

      it('keeps the answer of one who comes late when no other was started', async () => {
        const { finish } = await stage.start();
        stage.nowMs += 2 * LEASE_MS;
        expect(await finish(streamed)).toBe('kept');
      });

      it('forgets an answer 24 hours after it was given, swept or not', async () => {
        const { finish } = await stage.start();
        stage.nowMs += LEASE_MS;
        await finish(streamed);
        stage.nowMs += ANSWER_KEPT_MS - 1;
        expect(await stage.outcome()).toBe('replay');
        stage.nowMs += 1;
        expect(await stage.outcome({ ...request, body: bytes('{}') })).toBe('started');
      });

      it('sweeps away what has expired and nothing else', async () => {
        await (await stage.start()).finish(streamed);
        await stage.start({ ...request, key: 'left running' });
        stage.nowMs += 1;
        await (await stage.start({ ...request, key: 'later' })).finish(streamed);
        stage.nowMs += ANSWER_KEPT_MS - 1;
        expect(await stage.store.sweep()).toBe(2);
        expect(await stage.store.sweep()).toBe(0);
        expect(await stage.outcome({ ...request, key: 'later' })).toBe('replay');
      });
    });

    attemptsContract(() => stage);

    it('rejects work once it is closed', async () => {
      const { finish } = await stage.start();
      await stage.store.close();
      await stage.store.close();
      const unavailable = { name: 'AnswerStoreError', code: 'store-unavailable' };
      await expect(stage.admit()).rejects.toMatchObject(unavailable);
      await expect(finish(streamed)).rejects.toMatchObject(unavailable);
    });
  });
