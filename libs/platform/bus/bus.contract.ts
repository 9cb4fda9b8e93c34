import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { failingAndClosing } from './bus-failures.contract.js';
import { listening } from './bus-listeners.contract.js';
import { type BusErrorCode } from './bus.errors.js';
import { busError, BusFixture, eventually, fail, idOf, message, numberOf } from './bus.fixture.js';
import { type Bus, type BusMessage, type Delivery } from './bus.port.js';

/**
 * The contract of every adapter. `open` makes a bus; an adapter supplies nothing else. A test of
 * several keys uses many, since a broker may put any two of them in one partition.
 */
export const busContract = (adapter: string, open: () => Promise<Bus>) =>
  describe(`Bus contract: ${adapter}`, () => {
    const fixture = new BusFixture(open);

    failingAndClosing(fixture);
    listening(fixture);

    describe('delivery', () => {
      it('brings the whole message', async () => {
        const { deliveries } = await fixture.collect();
        const data = { text: 'é 漢字 😀 \u0000 "', list: [1, 2.5, null, true], deep: { er: {} } };
        await fixture.bus.publish(fixture.topic, [message(1, 'job-é', data)]);
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries).toEqual([
          { ...message(1, 'job-é', data), topic: fixture.topic, attempt: 1 },
        ]);
      });

      it.each([[null], ['text'], [0], [[]], [false]])('takes any JSON: %j', async (data) => {
        const { deliveries } = await fixture.collect();
        await fixture.bus.publish(fixture.topic, [message(1, 'job-1', data)]);
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries[0]?.data).toEqual(data);
      });

      it('delivers copies: the changes of one consumer are not seen by another', async () => {
        const data = { list: [1] };
        const spoil = (delivery: Delivery): void => {
          (delivery.data as typeof data).list.push(3);
        };
        const one = await fixture.collect('one', spoil);
        const two = await fixture.collect('two', spoil);
        await fixture.bus.publish(fixture.topic, [message(1, 'job-1', data)]);
        data.list.push(2);
        await eventually('both', () => one.deliveries.length + two.deliveries.length === 2);
        expect(one.deliveries[0]?.data).toEqual({ list: [1, 3] });
        expect(two.deliveries[0]?.data).toEqual({ list: [1, 3] });
      });

      it('delivers what was published before the first consumer', async () => {
        await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
        const { deliveries } = await fixture.collect();
        await eventually('both', () => deliveries.length === 2);
        expect(deliveries.map(numberOf)).toEqual([1, 2]);
      });

      it('delivers what was published while the group had no member, and only that', async () => {
        const first = await fixture.collect();
        await fixture.bus.publish(fixture.topic, [message(1)]);
        await eventually('the first', () => first.deliveries.length === 1);
        await first.consumer.close();
        await fixture.bus.publish(fixture.topic, [message(2)]);
        const second = await fixture.collect();
        await eventually('the second', () => second.deliveries.length === 1);
        expect(second.deliveries.map(numberOf)).toEqual([2]);
      });

      it('carries a message of nearly a megabyte', async () => {
        const { deliveries } = await fixture.collect();
        await fixture.bus.publish(fixture.topic, [message(1, 'job-1', 'x'.repeat(999_000))]);
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries[0]?.data).toHaveLength(999_000);
      });

      it('carries two thousand messages of a hundred keys', async () => {
        const { deliveries } = await fixture.collect();
        for (let batch = 0; batch < 20; batch += 1) {
          await fixture.bus.publish(
            fixture.topic,
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
        await expect(fixture.bus.publish(fixture.topic, [])).resolves.toBeUndefined();
      });

      it('lets a handler publish', async () => {
        const replies = `contract.${randomUUID()}`;
        const answered: Delivery[] = [];
        await fixture.bus.consume({
          topic: replies,
          group: 'gateway',
          handle: (delivery) => {
            answered.push(delivery);
            return Promise.resolve();
          },
        });
        await fixture.collect('workers', ({ key }) =>
          fixture.bus.publish(replies, [message(2, key)]),
        );
        await fixture.bus.publish(fixture.topic, [message(1)]);
        await eventually('the reply', () => answered.length > 0);
        expect(answered[0]).toMatchObject({ topic: replies, key: 'job-1', id: idOf(2) });
      });
    });

    describe('order', () => {
      it('keeps the messages of a key in order, one at a time', async () => {
        const running = new Map<string, number>();
        let together = 0;
        const { deliveries } = await fixture.collect('workers', async ({ key }) => {
          running.set(key, (running.get(key) ?? 0) + 1);
          together = Math.max(together, running.get(key) ?? 0);
          await sleep(1);
          running.set(key, (running.get(key) ?? 0) - 1);
        });
        const messages = Array.from({ length: 100 }, (_, n) => message(n, `job-${n % 4}`));
        await fixture.bus.publish(fixture.topic, messages.slice(0, 30));
        await fixture.bus.publish(fixture.topic, messages.slice(30));
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
        const { deliveries } = await fixture.collect('workers', async () => {
          running += 1;
          together = Math.max(together, running);
          await eventually('another key', () => together > 1);
          running -= 1;
        });
        await fixture.bus.publish(
          fixture.topic,
          Array.from({ length: 50 }, (_, n) => message(n, `job-${n}`)),
        );
        await eventually('all', () => deliveries.length === 50);
      });
    });

    describe('groups', () => {
      it('each see every message', async () => {
        const workers = await fixture.collect('workers');
        const auditors = await fixture.collect('auditors');
        await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
        await eventually('all', () => workers.deliveries.length + auditors.deliveries.length === 4);
        expect(workers.deliveries.map(numberOf)).toEqual([1, 2]);
        expect(auditors.deliveries.map(numberOf)).toEqual([1, 2]);
      });

      it('share messages among their members, who may come and go', async () => {
        const one = await fixture.collect();
        const two = await fixture.collect();
        const handled = () => [...one.deliveries, ...two.deliveries].map(({ id }) => id);
        const messages = (from: number) =>
          Array.from({ length: 50 }, (_, n) => message(from + n, `job-${n}`));
        await fixture.bus.publish(fixture.topic, messages(0));
        await eventually('the first half', () => new Set(handled()).size === 50);
        // While members join and leave, a broker may redeliver some messages, never all.
        expect(handled().length).toBeLessThan(100);
        await one.consumer.close();
        const before = one.deliveries.length;
        await fixture.bus.publish(fixture.topic, messages(50));
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
        const stays = await fixture.collect('workers', handle, 100);
        const messages = Array.from({ length: 60 }, (_, n) => message(n, `job-${n % 20}`));
        await fixture.bus.publish(fixture.topic, messages.slice(0, 30));
        await eventually('its first attempts', () => stays.deliveries.length >= 20);
        const goes = await fixture.collect('workers', handle, 100);
        await fixture.bus.publish(fixture.topic, messages.slice(30));
        // If it receives any, it has started them by then.
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

    it('says whether it would take messages', async () => {
      await fixture.bus.publish(fixture.topic, [message(1)]);
      expect(await fixture.bus.health()).toEqual({ reachable: true, reason: null });
      await fixture.bus.close();
      expect(await fixture.bus.health()).toEqual({ reachable: false, reason: 'the bus is closed' });
    });

    describe('errors', () => {
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
        await expect(fixture.bus.publish(fixture.topic, [message(1), bad])).rejects.toEqual(
          busError(code),
        );
        await fixture.bus.publish(fixture.topic, [message(3)]);
        const { deliveries } = await fixture.collect();
        await eventually('a delivery', () => deliveries.length > 0);
        expect(deliveries.map(numberOf)).toEqual([3]);
      });

      it('say no to malformed names and numbers', async () => {
        const invalid = busError('invalid-options');
        const handle = () => Promise.resolve();
        await expect(fixture.bus.publish('No', [message(1)])).rejects.toEqual(invalid);
        await expect(fixture.bus.publish('t'.repeat(129), [message(1)])).rejects.toEqual(invalid);
        await expect(fixture.bus.consume({ topic: '', group: 'g', handle })).rejects.toEqual(
          invalid,
        );
        await expect(
          fixture.bus.consume({ topic: fixture.topic, group: 'a b', handle }),
        ).rejects.toEqual(invalid);
        for (const attemptsMax of [0, 101, 1.5]) {
          const options = { topic: fixture.topic, group: 'g', handle, attemptsMax };
          await expect(fixture.bus.consume(options)).rejects.toEqual(invalid);
        }
        await expect(fixture.bus.deadLetters('No', 'g')).rejects.toEqual(invalid);
        await expect(fixture.bus.retryDeadLetter(fixture.topic, 'No', idOf(1))).rejects.toEqual(
          invalid,
        );
      });
    });
  });
