import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BusErrorCode } from './bus.errors.js';
import { type Bus, type BusMessage, type Consumer, type Delivery } from './bus.port.js';

const DEADLINE_MS = 30_000;

/** Brokers take their time: a test waits for a condition, never for an instant. */
const eventually = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> => {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await sleep(5);
  }
};

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const message = (n: number, key = 'job-1', data: unknown = { n }): BusMessage => ({
  key,
  id: idOf(n),
  headers: { type: 'task', note: 'ü' },
  data,
});

const numberOf = ({ data }: BusMessage): number => (data as { readonly n: number }).n;

/**
 * What every adapter promises. `open` makes a bus; a second adapter supplies nothing else. Topics
 * have a new name in each test, since a broker keeps them. Keys are many where a test is about more
 * than one, since a broker may put any two of them in one partition.
 */
export const busContract = (adapter: string, open: () => Promise<Bus>) =>
  describe(`Bus contract: ${adapter}`, () => {
    let bus: Bus;
    let topic: string;

    beforeEach(async () => {
      topic = `contract.${randomUUID()}`;
      bus = await open();
    });

    afterEach(() => bus.close());

    const refused = (code: BusErrorCode) => expect.objectContaining({ name: 'BusError', code });

    /** Joins a group and keeps what it gets. */
    const collect = async (
      group = 'workers',
      handle: (delivery: Delivery) => void | Promise<void> = () => undefined,
      attemptsMax = 3,
    ): Promise<{ readonly consumer: Consumer; readonly deliveries: Delivery[] }> => {
      const deliveries: Delivery[] = [];
      const consumer = await bus.consume({
        topic,
        group,
        attemptsMax,
        handle: async (delivery) => {
          deliveries.push(delivery);
          await handle(delivery);
        },
      });
      return { consumer, deliveries };
    };

    const fail = (reason = 'out of memory') => {
      throw new Error(reason);
    };

    describe('delivery', () => {
      it('brings the whole message', async () => {
        const { deliveries } = await collect();
        const data = { text: 'é 漢字 😀 \u0000 "', list: [1, 2.5, null, true], deep: { er: {} } };
        await bus.publish(topic, [message(1, 'job-é', data)]);
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries).toEqual([{ ...message(1, 'job-é', data), topic, attempt: 1 }]);
      });

      it.each([[null], ['text'], [0], [[]], [false]])('takes any JSON: %j', async (data) => {
        const { deliveries } = await collect();
        await bus.publish(topic, [message(1, 'job-1', data)]);
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries[0]?.data).toEqual(data);
      });

      it('brings copies: nobody sees what another does to them', async () => {
        const data = { list: [1] };
        const spoil = (delivery: Delivery): void => {
          (delivery.data as typeof data).list.push(3);
        };
        const one = await collect('one', spoil);
        const two = await collect('two', spoil);
        await bus.publish(topic, [message(1, 'job-1', data)]);
        data.list.push(2);
        await eventually('both', () => one.deliveries.length + two.deliveries.length === 2);
        expect(one.deliveries[0]?.data).toEqual({ list: [1, 3] });
        expect(two.deliveries[0]?.data).toEqual({ list: [1, 3] });
      });

      it('brings what was published before anybody consumed', async () => {
        await bus.publish(topic, [message(1), message(2)]);
        const { deliveries } = await collect();
        await eventually('both', () => deliveries.length === 2);
        expect(deliveries.map(numberOf)).toEqual([1, 2]);
      });

      it('brings what was published while nobody of the group was there, and that only', async () => {
        const first = await collect();
        await bus.publish(topic, [message(1)]);
        await eventually('the first', () => first.deliveries.length === 1);
        await first.consumer.close();
        await bus.publish(topic, [message(2)]);
        const second = await collect();
        await eventually('the second', () => second.deliveries.length === 1);
        expect(second.deliveries.map(numberOf)).toEqual([2]);
      });

      it('carries a message of nearly a megabyte', async () => {
        const { deliveries } = await collect();
        await bus.publish(topic, [message(1, 'job-1', 'x'.repeat(999_000))]);
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries[0]?.data).toHaveLength(999_000);
      });

      it('carries two thousand messages of a hundred keys', async () => {
        const { deliveries } = await collect();
        for (let batch = 0; batch < 20; batch += 1) {
          await bus.publish(
            topic,
            Array.from({ length: 100 }, (_, n) => message(batch * 100 + n, `job-${n}`)),
          );
        }
        await eventually('all', () => new Set(deliveries.map(({ id }) => id)).size === 2_000);
        for (let n = 0; n < 100; n += 1) {
          const ofKey = deliveries.filter(({ key }) => key === `job-${n}`).map(numberOf);
          expect(ofKey).toEqual(Array.from({ length: 20 }, (_, batch) => batch * 100 + n));
        }
      });

      it('takes an empty list', async () => {
        await expect(bus.publish(topic, [])).resolves.toBeUndefined();
      });

      it('lets a handler publish', async () => {
        const replies = `contract.${randomUUID()}`;
        const answered: Delivery[] = [];
        await bus.consume({
          topic: replies,
          group: 'gateway',
          handle: (delivery) => {
            answered.push(delivery);
            return Promise.resolve();
          },
        });
        await collect('workers', ({ key }) => bus.publish(replies, [message(2, key)]));
        await bus.publish(topic, [message(1)]);
        await eventually('the reply', () => answered.length > 0);
        expect(answered[0]).toMatchObject({ topic: replies, key: 'job-1', id: idOf(2) });
      });
    });

    describe('order', () => {
      it('keeps the messages of a key in order, one at a time', async () => {
        const running = new Map<string, number>();
        let together = 0;
        const { deliveries } = await collect('workers', async ({ key }) => {
          running.set(key, (running.get(key) ?? 0) + 1);
          together = Math.max(together, running.get(key) ?? 0);
          await sleep(1);
          running.set(key, (running.get(key) ?? 0) - 1);
        });
        const messages = Array.from({ length: 100 }, (_, n) => message(n, `job-${n % 4}`));
        await bus.publish(topic, messages.slice(0, 30));
        await bus.publish(topic, messages.slice(30));
        await eventually('all', () => deliveries.length === 100);
        expect(together).toBe(1);
        for (const key of ['job-0', 'job-1', 'job-2', 'job-3']) {
          const sent = messages.filter((one) => one.key === key).map(numberOf);
          expect(deliveries.filter((one) => one.key === key).map(numberOf)).toEqual(sent);
        }
      });

      it('handles different keys at the same time', async () => {
        let running = 0;
        let together = 0;
        const { deliveries } = await collect('workers', async () => {
          running += 1;
          together = Math.max(together, running);
          await eventually('another key', () => together > 1);
          running -= 1;
        });
        await bus.publish(
          topic,
          Array.from({ length: 50 }, (_, n) => message(n, `job-${n}`)),
        );
        await eventually('all', () => deliveries.length === 50);
      });
    });

    describe('groups', () => {
      it('each see every message', async () => {
        const workers = await collect('workers');
        const auditors = await collect('auditors');
        await bus.publish(topic, [message(1), message(2)]);
        await eventually('all', () => workers.deliveries.length + auditors.deliveries.length === 4);
        expect(workers.deliveries.map(numberOf)).toEqual([1, 2]);
        expect(auditors.deliveries.map(numberOf)).toEqual([1, 2]);
      });

      it('share messages among their members, who may come and go', async () => {
        const one = await collect();
        const two = await collect();
        const handled = () => [...one.deliveries, ...two.deliveries].map(({ id }) => id);
        const messages = (from: number) =>
          Array.from({ length: 50 }, (_, n) => message(from + n, `job-${n}`));
        await bus.publish(topic, messages(0));
        await eventually('the first half', () => new Set(handled()).size === 50);
        // A broker may repeat some while members come and go, never all.
        expect(handled().length).toBeLessThan(100);
        await one.consumer.close();
        const before = one.deliveries.length;
        await bus.publish(topic, messages(50));
        await eventually('the second half', () => new Set(handled()).size === 100);
        expect(one.deliveries).toHaveLength(before);
      });

      it('take back what a member leaves undone, in its order', async () => {
        let isBroken = true;
        const done: Delivery[] = [];
        const handle = (delivery: Delivery): void => {
          if (isBroken) fail();
          done.push(delivery);
        };
        const stays = await collect('workers', handle, 100);
        const messages = Array.from({ length: 60 }, (_, n) => message(n, `job-${n % 20}`));
        await bus.publish(topic, messages.slice(0, 30));
        await eventually('its first attempts', () => stays.deliveries.length >= 20);
        const goes = await collect('workers', handle, 100);
        await bus.publish(topic, messages.slice(30));
        // Where it gets any, it has begun them by then.
        await sleep(300);
        await goes.consumer.close();
        isBroken = false;
        await eventually('all', () => new Set(done.map(({ id }) => id)).size === 60);
        for (let n = 0; n < 20; n += 1) {
          const ofKey = done.filter(({ key }) => key === `job-${n}`).map(numberOf);
          expect([...new Set(ofKey)]).toEqual([n, n + 20, n + 40]);
        }
      });
    });

    describe('failure', () => {
      it('tries again, in its place', async () => {
        const { deliveries } = await collect('workers', (delivery) => {
          if (numberOf(delivery) === 1 && delivery.attempt < 3) fail();
        });
        await bus.publish(topic, [message(1), message(2)]);
        await eventually('the second', () => deliveries.some(({ id }) => id === idOf(2)));
        expect(deliveries.map((delivery) => [numberOf(delivery), delivery.attempt])).toEqual([
          [1, 1],
          [1, 2],
          [1, 3],
          [2, 1],
        ]);
        expect(await bus.deadLetters(topic, 'workers')).toEqual([]);
      });

      it('makes a dead letter after the last attempt, and the key goes on', async () => {
        const { deliveries } = await collect(
          'workers',
          (delivery) => {
            if (numberOf(delivery) === 1) fail(`attempt ${delivery.attempt} failed`);
          },
          2,
        );
        await bus.publish(topic, [message(1), message(2)]);
        await eventually('the second', () => deliveries.some(({ id }) => id === idOf(2)));
        expect(deliveries.map(numberOf)).toEqual([1, 1, 2]);
        await eventually(
          'the dead letter',
          async () => (await bus.deadLetters(topic, 'workers')).length === 1,
        );
        expect(await bus.deadLetters(topic, 'workers')).toEqual([
          { ...message(1), topic, group: 'workers', reason: 'attempt 2 failed', attempts: 2 },
        ]);
      });

      it('of one key does not hold up all others', async () => {
        const { deliveries } = await collect('workers', ({ key }) => {
          if (key === 'poison') fail();
        });
        const others = Array.from({ length: 50 }, (_, n) => message(n + 1, `job-${n}`));
        await bus.publish(topic, [message(0, 'poison'), ...others]);
        await eventually('all', () => new Set(deliveries.map(({ id }) => id)).size === 51);
        await eventually('the last attempt', () => deliveries.some(({ attempt }) => attempt === 3));
        const last = deliveries.findIndex(({ attempt }) => attempt === 3);
        expect(deliveries.slice(0, last).some(({ key }) => key !== 'poison')).toBe(true);
      });

      it('of one group is not that of another', async () => {
        await collect('workers', () => fail(), 1);
        const auditors = await collect('auditors', undefined, 1);
        await bus.publish(topic, [message(1)]);
        await eventually(
          'the dead letter',
          async () => (await bus.deadLetters(topic, 'workers')).length === 1,
        );
        await eventually('a delivery', () => auditors.deliveries.length === 1);
        expect(await bus.deadLetters(topic, 'auditors')).toEqual([]);
      });

      it.each([
        ['an Error', new Error('out of memory'), 'out of memory'],
        ['a text', 'no such model', 'no such model'],
        ['nothing', undefined, 'undefined'],
        ['a book', new Error('é'.repeat(2_000)), 'é'.repeat(1_000)],
      ])('gives its reason: %s', async (_, failure, reason) => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the point
        await collect('workers', () => Promise.reject(failure), 1);
        await bus.publish(topic, [message(1)]);
        await eventually(
          'the dead letter',
          async () => (await bus.deadLetters(topic, 'workers')).length === 1,
        );
        expect(await bus.deadLetters(topic, 'workers')).toMatchObject([{ reason, attempts: 1 }]);
      });
    });

    describe('dead letters', () => {
      it('are none where nothing was', async () => {
        expect(await bus.deadLetters(topic, 'nobody')).toEqual([]);
      });

      it('are delivered anew when asked for', async () => {
        let broken = true;
        const { deliveries } = await collect(
          'workers',
          (delivery) => {
            if (broken && numberOf(delivery) === 1) fail();
          },
          2,
        );
        await bus.publish(topic, [message(1), message(2)]);
        await eventually(
          'the dead letter',
          async () => (await bus.deadLetters(topic, 'workers')).length === 1,
        );
        broken = false;
        await bus.retryDeadLetter(topic, 'workers', idOf(1));
        await eventually('another try', () => deliveries.length === 4);
        expect(deliveries.at(-1)).toEqual({ ...message(1), topic, attempt: 1 });
        await eventually(
          'no dead letter',
          async () => (await bus.deadLetters(topic, 'workers')).length === 0,
        );
      });

      it('die again with the reason of the last time', async () => {
        let reason = 'first';
        await collect('workers', () => fail(reason), 1);
        await bus.publish(topic, [message(1), message(2)]);
        const reasons = async () =>
          (await bus.deadLetters(topic, 'workers')).map((letter) => letter.reason);
        await eventually('both', async () => (await reasons()).length === 2);
        reason = 'second';
        await bus.retryDeadLetter(topic, 'workers', idOf(1));
        await eventually('it again', async () => (await reasons()).includes('second'));
        expect(await bus.deadLetters(topic, 'workers')).toMatchObject([
          { id: idOf(2), reason: 'first' },
          { id: idOf(1), reason: 'second' },
        ]);
      });

      it('that are unknown are refused', async () => {
        const unknown = refused('unknown-dead-letter');
        await expect(bus.retryDeadLetter(topic, 'nobody', idOf(1))).rejects.toEqual(unknown);
        const { deliveries } = await collect();
        await bus.publish(topic, [message(1)]);
        await eventually('a delivery', () => deliveries.length === 1);
        await expect(bus.retryDeadLetter(topic, 'workers', idOf(1))).rejects.toEqual(unknown);
      });
    });

    it('says whether it would take messages', async () => {
      await bus.publish(topic, [message(1)]);
      expect(await bus.health()).toEqual({ reachable: true, reason: null });
      await bus.close();
      expect(await bus.health()).toEqual({ reachable: false, reason: 'the bus is closed' });
    });

    describe('closing', () => {
      it('a consumer waits for its running handler and takes nothing more', async () => {
        let finish = (): void => undefined;
        let finished = false;
        const { consumer, deliveries } = await collect('workers', async () => {
          await new Promise<void>((resolve) => (finish = resolve));
          finished = true;
        });
        await bus.publish(topic, [message(1), message(2)]);
        await eventually('a delivery', () => deliveries.length === 1);
        const closed = consumer.close().then(() => finished);
        await sleep(50);
        finish();
        expect(await closed).toBe(true);
        const next = await collect();
        await eventually('the rest', () => next.deliveries.length === 1);
        expect(next.deliveries.map(numberOf)).toEqual([2]);
        expect(deliveries).toHaveLength(1);
      });

      it('a consumer leaves what it was about to try again', async () => {
        const first = await collect('workers', () => fail(), 100);
        await bus.publish(topic, [message(1)]);
        await eventually('a delivery', () => first.deliveries.length > 0);
        await first.consumer.close();
        const second = await collect();
        await eventually('another try', () => second.deliveries.length > 0);
        expect(second.deliveries[0]).toMatchObject(message(1));
        expect(await bus.deadLetters(topic, 'workers')).toEqual([]);
      });

      it('a consumer twice is allowed', async () => {
        const { consumer } = await collect();
        await consumer.close();
        await expect(consumer.close()).resolves.toBeUndefined();
      });

      it('the bus waits for running handlers, then refuses everything', async () => {
        let finished = false;
        const { deliveries } = await collect('workers', async () => {
          await sleep(50);
          finished = true;
        });
        await bus.publish(topic, [message(1)]);
        await eventually('a delivery', () => deliveries.length === 1);
        await bus.close();
        expect(finished).toBe(true);
        await expect(bus.close()).resolves.toBeUndefined();
        const unavailable = refused('bus-unavailable');
        await expect(bus.publish(topic, [message(2)])).rejects.toEqual(unavailable);
        await expect(collect()).rejects.toEqual(unavailable);
        await expect(bus.deadLetters(topic, 'workers')).rejects.toEqual(unavailable);
        await expect(bus.retryDeadLetter(topic, 'workers', idOf(1))).rejects.toEqual(unavailable);
      });
    });

    describe('refusals', () => {
      const cyclic: Record<string, unknown> = {};
      cyclic['self'] = cyclic;

      it.each<[string, BusErrorCode, BusMessage]>([
        ['an empty key', 'invalid-message', message(2, '')],
        ['a key of 513 bytes', 'invalid-message', message(2, 'é'.repeat(256) + 'a')],
        ['half a surrogate pair', 'invalid-message', message(2, '\ud83d')],
        ['an id that is no UUID', 'invalid-message', { ...message(2), id: 'job-1' }],
        ['a bigint', 'invalid-message', message(2, 'job-1', { n: 1n })],
        ['a ring', 'invalid-message', message(2, 'job-1', cyclic)],
        ['no data', 'invalid-message', { ...message(2), data: undefined }],
        ['a megabyte', 'message-too-large', message(2, 'job-1', 'x'.repeat(1_000_000))],
        [
          'a megabyte of headers',
          'message-too-large',
          { ...message(2), headers: { h: 'é'.repeat(500_000) } },
        ],
      ])('say no to %s and take nothing of the list', async (_, code, bad) => {
        await expect(bus.publish(topic, [message(1), bad])).rejects.toEqual(refused(code));
        await bus.publish(topic, [message(3)]);
        const { deliveries } = await collect();
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries.map(numberOf)).toEqual([3]);
      });

      it('say no to malformed names and numbers', async () => {
        const invalid = refused('invalid-options');
        const handle = () => Promise.resolve();
        await expect(bus.publish('No', [message(1)])).rejects.toEqual(invalid);
        await expect(bus.publish('t'.repeat(129), [message(1)])).rejects.toEqual(invalid);
        await expect(bus.consume({ topic: '', group: 'g', handle })).rejects.toEqual(invalid);
        await expect(bus.consume({ topic, group: 'a b', handle })).rejects.toEqual(invalid);
        for (const attemptsMax of [0, 101, 1.5]) {
          const options = { topic, group: 'g', handle, attemptsMax };
          await expect(bus.consume(options)).rejects.toEqual(invalid);
        }
        await expect(bus.deadLetters('No', 'g')).rejects.toEqual(invalid);
        await expect(bus.retryDeadLetter(topic, 'No', idOf(1))).rejects.toEqual(invalid);
      });
    });
  });
