import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ANSWER_KEPT_MS,
  type AnswerStore,
  type LeftRequest,
  type SettleAttempt,
} from './answer-store.port.js';
import {
  type AnswerStage,
  bytes,
  free,
  LEASE_MS,
  notLeft,
  request,
  streamed,
  TIMES,
} from './answer-store.fixture.js';

/** The part of the answer store's contract that is about attempts that are left, slow or lost. */
export const attemptsContract = (staged: () => AnswerStage): void => {
  let stage: AnswerStage;

  beforeEach(() => {
    stage = staged();
  });

  describe('an attempt that was left', () => {
    const lost = 'the first attempt';
    const asked: LeftRequest[] = [];
    const charged: SettleAttempt = (left) => {
      asked.push(left);
      return Promise.resolve('charged');
    };

    beforeEach(async () => {
      asked.length = 0;
      await (await stage.start(request, stage.store, notLeft, lost)).leave();
      stage.nowMs += 5;
    });

    it('is asked after by its name and the time of its start', async () => {
      await stage.outcome(request, stage.store, charged);
      expect(asked).toEqual([{ attempt: lost, startedAtMs: stage.nowMs - 5 }]);
    });

    it('and not charged is started again, by one of all who ask', async () => {
      const second = await stage.open();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          stage.outcome(request, n % 2 ? second : stage.store, free),
        ),
      );
      expect(outcomes.sort()).toEqual([...Array<string>(19).fill('running'), 'started']);
    });

    it('and charged is never started again, nor asked after again', async () => {
      expect(await stage.outcome(request, stage.store, charged)).toBe('charged');
      expect(await stage.outcome(request, await stage.open())).toBe('charged');
      expect(await stage.outcome({ ...request, body: bytes('{}') })).toBe('conflict');
      stage.nowMs += ANSWER_KEPT_MS;
      expect(await stage.outcome()).toBe('started');
    });

    it('stays as it is while its cost cannot be found out', async () => {
      const unknown: SettleAttempt = () => Promise.reject(new Error('the log is away'));
      await expect(stage.outcome(request, stage.store, unknown)).rejects.toThrow('the log is away');
      expect(await stage.outcome(request, stage.store, charged)).toBe('charged');
    });

    it('may be left again by the one that started it again', async () => {
      await (await stage.start(request, stage.store, free, 'the second')).leave();
      await stage.outcome(request, stage.store, charged);
      expect(asked).toMatchObject([{ attempt: 'the second' }]);
    });

    it('is free no more once it ends after all', async () => {
      const ending = await stage.start({ ...request, key: 'other' });
      await ending.leave();
      expect(await ending.finish(streamed)).toBe('kept');
      expect(await stage.outcome({ ...request, key: 'other' })).toBe('replay');
    });

    it('is left as well when its store is closed', async () => {
      const second = await stage.open();
      await stage.start({ ...request, key: 'other' }, second, notLeft, 'of the second');
      await second.close();
      await stage.outcome({ ...request, key: 'other' }, stage.store, charged);
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
          return stage.nowMs;
        },
      };
      const beating = await stage.open({ ...TIMES, heartbeatMs: BEAT_MS }, clock);
      const beats = async (count: number): Promise<void> => {
        const until = asked + count;
        while (asked < until) await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
      };
      return { beating, beats };
    };

    it('keeps its attempts running for as long as they take', async () => {
      const { beating, beats } = await openBeating();
      await Promise.all([
        stage.start(request, beating),
        stage.start({ ...request, key: 'b' }, beating),
      ]);
      for (let lease = 0; lease < 3; lease += 1) {
        stage.nowMs += LEASE_MS - 1;
        // The second of them began after the clock had moved, and the third after it had ended.
        await beats(3);
      }
      expect(await stage.outcome()).toBe('running');
      expect(await stage.outcome({ ...request, key: 'b' })).toBe('running');
    });

    it('renews no attempt that it has left', async () => {
      const { beating, beats } = await openBeating();
      const { leave } = await stage.start(request, beating);
      await stage.start({ ...request, key: 'b' }, beating);
      await leave();
      await beats(3);
      expect(await stage.outcome(request, stage.store, free)).toBe('started');
    });
  });

  describe('an attempt that stood still', () => {
    it('is confirmed while no other has taken over, also late', async () => {
      const { confirm } = await stage.start();
      expect(await confirm()).toBe(true);
      stage.nowMs += 2 * LEASE_MS;
      expect(await confirm()).toBe(true);
      expect(await stage.outcome()).toBe('running');
    });

    it('is not confirmed once another has taken over', async () => {
      const { confirm } = await stage.start();
      stage.nowMs += LEASE_MS;
      const second = await stage.start(request, await stage.open(), free);
      expect(await confirm()).toBe(false);
      expect(await second.confirm()).toBe(true);
    });

    it('and is confirmed while it is settled is not taken over', async () => {
      const { confirm } = await stage.start();
      stage.nowMs += LEASE_MS;
      const settle: SettleAttempt = async () => {
        expect(await confirm()).toBe(true);
        return 'free';
      };
      expect(await stage.outcome(request, await stage.open(), settle)).toBe('running');
    });

    it('and ends while it is settled as charged is replayed', async () => {
      const { finish } = await stage.start();
      stage.nowMs += LEASE_MS;
      const settle: SettleAttempt = async () => {
        expect(await finish(streamed)).toBe('kept');
        return 'charged';
      };
      expect(await stage.outcome(request, await stage.open(), settle)).toBe('replay');
    });

    it('and ends while it is settled as free is replayed', async () => {
      const { finish } = await stage.start();
      stage.nowMs += LEASE_MS;
      const settle: SettleAttempt = async () => {
        expect(await finish(streamed)).toBe('kept');
        return 'free';
      };
      expect(await stage.outcome(request, await stage.open(), settle)).toBe('replay');
    });

    it('keeps its answer although a retry was rejected meanwhile', async () => {
      const { finish } = await stage.start();
      stage.nowMs += LEASE_MS;
      const charged: SettleAttempt = () => Promise.resolve('charged');
      expect(await stage.outcome(request, await stage.open(), charged)).toBe('charged');
      expect(await finish(streamed)).toBe('kept');
      expect(await stage.admit()).toEqual({ outcome: 'replay', answer: streamed });
    });
  });

  describe('the first attempt at a request', () => {
    const first = 'the first';

    it('is itself, and names the attempts that take over from it', async () => {
      const begun = await stage.start(request, stage.store, notLeft, first);
      expect(begun.firstAttempt).toBe(first);
      await begun.leave();
      const second = await stage.start(request, await stage.open(), free, 'the second');
      expect(second.firstAttempt).toBe(first);
      await second.leave();
      expect(await stage.start(request, stage.store, free, 'the third')).toMatchObject({
        firstAttempt: first,
      });
    });

    it('is another once the key was freed or has expired', async () => {
      await (await stage.start(request, stage.store, notLeft, first)).abandon();
      const second = await stage.start(request, stage.store, notLeft, 'the second');
      expect(second.firstAttempt).toBe('the second');
      stage.nowMs += ANSWER_KEPT_MS;
      const third = await stage.start(request, stage.store, notLeft, 'the third');
      expect(third.firstAttempt).toBe('the third');
    });
  });
};
