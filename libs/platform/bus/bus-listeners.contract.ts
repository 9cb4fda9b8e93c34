import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { busError, type BusFixture, eventually, fail, message, numberOf } from './bus.fixture.js';

/** Receiving without a group. */
export const listening = (fixture: BusFixture): void => {
  describe('a listener', () => {
    it('receives whole messages, in the order of their keys', async () => {
      const { heard } = await fixture.hear();
      const messages = Array.from({ length: 60 }, (_, n) => message(n, `job-${n % 20}`));
      await fixture.bus.publish(fixture.topic, messages.slice(0, 30));
      await fixture.bus.publish(fixture.topic, messages.slice(30));
      await eventually('all', () => heard.length === 60);
      for (let n = 0; n < 20; n += 1) {
        const ofKey = heard.filter(({ key }) => key === `job-${n}`);
        expect(ofKey).toEqual([n, n + 20, n + 40].map((sent) => message(sent, `job-${n}`)));
      }
    });

    it('receives nothing from before it listened', async () => {
      await fixture.bus.publish(fixture.topic, [message(1)]);
      const { heard } = await fixture.hear();
      await fixture.bus.publish(fixture.topic, [message(2)]);
      await eventually('a message', () => heard.length > 0);
      await sleep(50);
      expect(heard.map(numberOf)).toEqual([2]);
    });

    it('shares nothing with other listeners or with groups', async () => {
      const one = await fixture.hear();
      const two = await fixture.hear();
      const workers = await fixture.collect();
      const messages = Array.from({ length: 20 }, (_, n) => message(n, `job-${n}`));
      await fixture.bus.publish(fixture.topic, messages);
      const received = [one.heard, two.heard, workers.deliveries];
      await eventually('all', () => received.every((list) => list.length >= 20));
      for (const list of received) {
        expect(list.map(numberOf).toSorted((a, b) => a - b)).toEqual(messages.map(numberOf));
      }
    });

    it('receives a copy', async () => {
      const { heard } = await fixture.hear();
      const data = { n: 1 };
      await fixture.bus.publish(fixture.topic, [message(1, 'job-1', data)]);
      data.n = 2;
      await eventually('a message', () => heard.length > 0);
      expect(heard[0]?.data).toEqual({ n: 1 });
    });

    it('reports a message that it cannot handle, and continues', async () => {
      const { heard, failures } = await fixture.hear((one) => {
        if (numberOf(one) === 1) fail('unreadable');
      });
      await fixture.bus.publish(fixture.topic, [message(1), message(2)]);
      await eventually('both', () => heard.length === 2);
      await sleep(50);
      expect(heard.map(numberOf)).toEqual([1, 2]);
      expect(failures).toEqual([new Error('unreadable')]);
    });

    it('passes over a dead letter that its group receives again', async () => {
      let isBroken = true;
      const { deliveries } = await fixture.collect(
        'workers',
        () => (isBroken ? fail() : undefined),
        1,
      );
      const { heard } = await fixture.hear();
      await fixture.bus.publish(fixture.topic, [message(1)]);
      const letters = () => fixture.bus.deadLetters(fixture.topic, 'workers');
      await eventually('the dead letter', async () => (await letters()).length === 1);
      isBroken = false;
      await fixture.bus.retryDeadLetter(fixture.topic, 'workers', message(1).id);
      await eventually('the retry', () => deliveries.length === 2);
      await fixture.bus.publish(fixture.topic, [message(2)]);
      await eventually('the next', () => heard.some((one) => numberOf(one) === 2));
      expect(heard.map(numberOf)).toEqual([1, 2]);
    });

    it('receives nothing once it is closed', async () => {
      const closed = await fixture.hear();
      const open = await fixture.hear();
      await fixture.bus.publish(fixture.topic, [message(1)]);
      await eventually('the first', () => closed.heard.length === 1);
      await closed.listener.close();
      await closed.listener.close();
      await fixture.bus.publish(fixture.topic, [message(2)]);
      await eventually('the second', () => open.heard.length === 2);
      expect(closed.heard.map(numberOf)).toEqual([1]);
    });

    it('ends with the bus', async () => {
      await fixture.hear();
      await fixture.bus.close();
      await expect(fixture.hear()).rejects.toEqual(busError('bus-unavailable'));
    });

    it('needs the name of a topic', async () => {
      const options = { topic: 'No', handle: () => undefined, onFailed: () => undefined };
      await expect(fixture.bus.listen(options)).rejects.toEqual(busError('invalid-options'));
    });
  });
};
