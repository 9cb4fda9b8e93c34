import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  busError,
  type BusFixture,
  eventually,
  fail,
  idOf,
  message,
  numberOf,
} from './bus.fixture.js';

/** Failing handlers, dead letters, and the end of consumers and of the bus. */
export const failingAndClosing = (fixture: BusFixture): void => {
  describe('failure', () => {
    it('tries again, in its place', async () => {
      const { deliveries } = await fixture.collect('workers', (delivery) => {
        if (numberOf(delivery) === 1 && delivery.attempt < 3) fail();
      });
      await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
      await eventually('the second', () => deliveries.some(({ id }) => id === idOf(2)));
      expect(deliveries.map((delivery) => [numberOf(delivery), delivery.attempt])).toEqual([
        [1, 1],
        [1, 2],
        [1, 3],
        [2, 1],
      ]);
      expect(await fixture.bus.deadLetters(fixture.topic, 'workers')).toEqual([]);
    });

    it('makes a dead letter after the last attempt, and delivers the next message', async () => {
      const { deliveries } = await fixture.collect(
        'workers',
        (delivery) => {
          if (numberOf(delivery) === 1) fail(`attempt ${delivery.attempt} failed`);
        },
        2,
      );
      await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
      await eventually('the second', () => deliveries.some(({ id }) => id === idOf(2)));
      expect(deliveries.map(numberOf)).toEqual([1, 1, 2]);
      await eventually(
        'the dead letter',
        async () => (await fixture.bus.deadLetters(fixture.topic, 'workers')).length === 1,
      );
      expect(await fixture.bus.deadLetters(fixture.topic, 'workers')).toEqual([
        {
          ...message(1),
          topic: fixture.topic,
          group: 'workers',
          reason: 'attempt 2 failed',
          attempts: 2,
        },
      ]);
    });

    it('of one key does not hold up all others', async () => {
      const { deliveries } = await fixture.collect('workers', ({ key }) => {
        if (key === 'poison') fail();
      });
      const others = Array.from({ length: 50 }, (_, n) => message(n + 1, `job-${n}`));
      await fixture.bus.publish(fixture.topic, [message(0, 'poison'), ...others]);
      await eventually('all', () => new Set(deliveries.map(({ id }) => id)).size === 51);
      await eventually('the last attempt', () => deliveries.some(({ attempt }) => attempt === 3));
      const last = deliveries.findIndex(({ attempt }) => attempt === 3);
      expect(deliveries.slice(0, last).some(({ key }) => key !== 'poison')).toBe(true);
    });

    it('of one group is invisible to another', async () => {
      await fixture.collect('workers', () => fail(), 1);
      const auditors = await fixture.collect('auditors', undefined, 1);
      await fixture.bus.publish(fixture.topic, [message(1)]);
      await eventually(
        'the dead letter',
        async () => (await fixture.bus.deadLetters(fixture.topic, 'workers')).length === 1,
      );
      await eventually('a delivery', () => auditors.deliveries.length === 1);
      expect(await fixture.bus.deadLetters(fixture.topic, 'auditors')).toEqual([]);
    });

    it.each([
      ['an Error', new Error('out of memory'), 'out of memory'],
      ['a text', 'no such model', 'no such model'],
      ['nothing', undefined, 'undefined'],
      ['a book', new Error('é'.repeat(2_000)), 'é'.repeat(1_000)],
    ])('gives its reason: %s', async (_, failure, reason) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the point
      await fixture.collect('workers', () => Promise.reject(failure), 1);
      await fixture.bus.publish(fixture.topic, [message(1)]);
      await eventually(
        'the dead letter',
        async () => (await fixture.bus.deadLetters(fixture.topic, 'workers')).length === 1,
      );
      expect(await fixture.bus.deadLetters(fixture.topic, 'workers')).toMatchObject([
        { reason, attempts: 1 },
      ]);
    });
  });

  describe('dead letters', () => {
    it('are none where nothing was', async () => {
      expect(await fixture.bus.deadLetters(fixture.topic, 'absent')).toEqual([]);
    });

    it('are delivered again by a retry', async () => {
      let broken = true;
      const { deliveries } = await fixture.collect(
        'workers',
        (delivery) => {
          if (broken && numberOf(delivery) === 1) fail();
        },
        2,
      );
      await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
      await eventually(
        'the dead letter',
        async () => (await fixture.bus.deadLetters(fixture.topic, 'workers')).length === 1,
      );
      broken = false;
      await fixture.bus.retryDeadLetter(fixture.topic, 'workers', idOf(1));
      await eventually('another try', () => deliveries.length === 4);
      expect(deliveries.at(-1)).toEqual({ ...message(1), topic: fixture.topic, attempt: 1 });
      await eventually(
        'no dead letter',
        async () => (await fixture.bus.deadLetters(fixture.topic, 'workers')).length === 0,
      );
    });

    it('keep the reason of the last attempt', async () => {
      let reason = 'first';
      await fixture.collect('workers', () => fail(reason), 1);
      await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
      const reasons = async () =>
        (await fixture.bus.deadLetters(fixture.topic, 'workers')).map((letter) => letter.reason);
      await eventually('both', async () => (await reasons()).length === 2);
      reason = 'second';
      await fixture.bus.retryDeadLetter(fixture.topic, 'workers', idOf(1));
      await eventually('it again', async () => (await reasons()).includes('second'));
      expect(await fixture.bus.deadLetters(fixture.topic, 'workers')).toMatchObject([
        { id: idOf(2), reason: 'first' },
        { id: idOf(1), reason: 'second' },
      ]);
    });

    it('that are unknown are rejected', async () => {
      const unknown = busError('unknown-dead-letter');
      await expect(fixture.bus.retryDeadLetter(fixture.topic, 'absent', idOf(1))).rejects.toEqual(
        unknown,
      );
      const { deliveries } = await fixture.collect();
      await fixture.bus.publish(fixture.topic, [message(1)]);
      await eventually('a delivery', () => deliveries.length === 1);
      await expect(fixture.bus.retryDeadLetter(fixture.topic, 'workers', idOf(1))).rejects.toEqual(
        unknown,
      );
    });
  });

  describe('closing', () => {
    it('a consumer waits for its running handler and takes nothing more', async () => {
      let finish = (): void => undefined;
      let finished = false;
      const { consumer, deliveries } = await fixture.collect('workers', async () => {
        await new Promise<void>((resolve) => (finish = resolve));
        finished = true;
      });
      await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
      await eventually('a delivery', () => deliveries.length === 1);
      const closed = consumer.close().then(() => finished);
      await sleep(50);
      finish();
      expect(await closed).toBe(true);
      const next = await fixture.collect();
      await eventually('the rest', () => next.deliveries.length === 1);
      expect(next.deliveries.map(numberOf)).toEqual([2]);
      expect(deliveries).toHaveLength(1);
    });

    it('a consumer leaves what it was about to try again', async () => {
      const first = await fixture.collect('workers', () => fail(), 100);
      await fixture.bus.publish(fixture.topic, [message(1)]);
      await eventually('a delivery', () => first.deliveries.length > 0);
      await first.consumer.close();
      const second = await fixture.collect();
      await eventually('another try', () => second.deliveries.length > 0);
      expect(second.deliveries[0]).toMatchObject(message(1));
      expect(await fixture.bus.deadLetters(fixture.topic, 'workers')).toEqual([]);
    });

    it('a consumer twice is allowed', async () => {
      const { consumer } = await fixture.collect();
      await consumer.close();
      await expect(consumer.close()).resolves.toBeUndefined();
    });

    it('the bus waits for running handlers, then rejects everything', async () => {
      let finished = false;
      const { deliveries } = await fixture.collect('workers', async () => {
        await sleep(50);
        finished = true;
      });
      await fixture.bus.publish(fixture.topic, [message(1)]);
      await eventually('a delivery', () => deliveries.length === 1);
      await fixture.bus.close();
      expect(finished).toBe(true);
      await expect(fixture.bus.close()).resolves.toBeUndefined();
      const unavailable = busError('bus-unavailable');
      await expect(fixture.bus.publish(fixture.topic, [message(2)])).rejects.toEqual(unavailable);
      await expect(fixture.collect()).rejects.toEqual(unavailable);
      await expect(fixture.bus.deadLetters(fixture.topic, 'workers')).rejects.toEqual(unavailable);
      await expect(fixture.bus.retryDeadLetter(fixture.topic, 'workers', idOf(1))).rejects.toEqual(
        unavailable,
      );
    });
  });
};
