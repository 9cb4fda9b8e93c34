import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../bus.fixture.js';
import { type Bus, type BusMessage, type Delivery } from '../bus.port.js';
import { OPEN_MESSAGES_MAX } from './group-member.js';
import { createKafkaBus } from './kafka-bus.js';
import { BrokerInMemory } from './kafka-client.fake.js';
import { type KafkaClient, KafkaFailure } from './kafka-client.port.js';

const topic = 'tasks';
const group = 'workers';
const groupId = 'workers@tasks';

const message = (n: number, key = `job-${n}`): BusMessage => ({
  key,
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  headers: {},
  data: n,
});

const list = (count: number, key?: string): BusMessage[] =>
  Array.from({ length: count }, (_, n) => message(n, key));

describe('a member of a group', () => {
  let broker: BrokerInMemory;
  let bus: Bus;
  const opened: Bus[] = [];

  const open = (client: KafkaClient, sessionTimeoutMs = 6_000): Bus => {
    const topicSettings = () => ({ partitions: 2 });
    const added = createKafkaBus(client, { topicSettings, sessionTimeoutMs, timeoutMs: 1_000 });
    opened.push(added);
    return added;
  };

  beforeEach(() => {
    broker = new BrokerInMemory();
    bus = open(broker.client());
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  const collect = async (handle: (delivery: Delivery) => Promise<void> | void, of = bus) => {
    const deliveries: Delivery[] = [];
    await of.consume({
      topic,
      group,
      attemptsMax: 2,
      handle: async (delivery) => {
        deliveries.push(delivery);
        await handle(delivery);
      },
    });
    return deliveries;
  };

  /** Of all partitions together. */
  const committed = (): number =>
    [...broker.committed(groupId).values()].reduce((sum, offset) => sum + Number(offset), 0);

  it('commits what is done, and never past what is not', async () => {
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const deliveries = await collect(({ key }) => (key === 'slow' ? slow : undefined));
    await bus.publish(topic, [message(100, 'slow'), ...list(50)]);
    await eventually('the others', () => deliveries.length === 51);
    await eventually('the other partition', () => committed() > 0);
    await sleep(300);
    const place = broker.topics
      .get(topic)
      ?.partitions.findIndex(([first]) => first?.key === 'slow');
    expect(broker.committed(groupId).get(place ?? -1) ?? 0n).toBe(0n);
    finish();
    await eventually('everything', () => committed() === 51);
  });

  it('continues in another life when its client fails, from the committed offset', async () => {
    const deliveries = await collect(() => undefined);
    await bus.publish(topic, list(10));
    await eventually('a commit', () => committed() === 10);
    broker.expel(groupId, new Error('crashed'));
    await bus.publish(topic, [message(10)]);
    await eventually('the next', () => deliveries.length === 11);
    expect(deliveries.at(-1)?.data).toBe(10);
  });

  it('does not handle a key twice at a time when its client fails', async () => {
    let running = 0;
    let together = 0;
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const deliveries = await collect(async () => {
      running += 1;
      together = Math.max(together, running);
      await slow;
      running -= 1;
    });
    await bus.publish(topic, [message(1)]);
    await eventually('a delivery', () => deliveries.length === 1);
    broker.expel(groupId, new Error('crashed'));
    await eventually('another life', () => (broker.members.get(groupId)?.size ?? 0) === 1);
    await sleep(50);
    expect(deliveries).toHaveLength(1);
    finish();
    await eventually('the repeat', () => deliveries.length === 2);
    expect(together).toBe(1);
  });

  it('replaces a client that has fallen silent', async () => {
    const client = broker.client();
    let lives = 0;
    const silent: KafkaClient = {
      ...client,
      subscribe: (options) => {
        lives += 1;
        const onRecords = lives === 1 ? () => undefined : options.onRecords;
        return client.subscribe({ ...options, onRecords, onAlive: () => undefined });
      },
    };
    const quiet = open(silent, 60);
    const deliveries = await collect(() => undefined, quiet);
    await quiet.publish(topic, [message(1)]);
    await eventually('a delivery', () => deliveries.length > 0);
    expect(lives).toBeGreaterThan(1);
  });

  it('leaves to another member what it lost, and commits nothing of it', async () => {
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const first = await collect(() => slow);
    await bus.publish(topic, list(100));
    await eventually('32 keys', () => first.length === 32);
    const second = await collect(() => undefined, open(broker.client()));
    await eventually('the second', () => second.length > 0);
    finish();
    const handled = () => new Set([...first, ...second].map(({ id }) => id));
    await eventually('all', () => handled().size === 100);
    await eventually('everything', () => committed() === 100);
  });

  it('stops fetching while too much is open, and continues after', async () => {
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const deliveries = await collect(({ key }) => (key === 'slow' ? slow : undefined));
    await bus.publish(topic, [message(0, 'slow')]);
    const isPaused = () => [...(broker.members.get(groupId) ?? [])].some((one) => one.isPaused);
    const batches = Math.ceil((OPEN_MESSAGES_MAX * 3) / 1_000);
    for (let batch = 0; batch < batches && !isPaused(); batch += 1)
      await bus.publish(topic, list(1_000));
    await eventually('a pause', isPaused);
    finish();
    await eventually('no pause', () => !isPaused());
    await bus.publish(topic, [message(7, 'last')]);
    await eventually('the last', () => deliveries.at(-1)?.key === 'last');
  });

  it('holds the key until its dead letter is stored', async () => {
    const deliveries = await collect(({ data }) => {
      if (data === 1) throw new Error('no');
    });
    await bus.publish(topic, [message(1, 'job')]);
    await eventually('the first attempt', () => deliveries.length === 1);
    let failures = 0;
    broker.beforeSend = () => {
      failures += 1;
      throw new KafkaFailure('unavailable', 'gone');
    };
    await eventually('a failure to store it', () => failures > 0);
    expect(committed()).toBe(0);
    broker.beforeSend = () => undefined;
    await bus.publish(topic, [message(2, 'job')]);
    await eventually('the next of the key', () => deliveries.at(-1)?.data === 2);
    expect(await bus.deadLetters(topic, group)).toMatchObject([{ data: 1, reason: 'no' }]);
  });

  it('leaves a message that fails after it was lost to its next delivery', async () => {
    let fail = (): void => undefined;
    const failing = new Promise<void>((_, reject) => (fail = () => reject(new Error('no'))));
    const deliveries: Delivery[] = [];
    await bus.consume({
      topic,
      group,
      attemptsMax: 1,
      handle: async (delivery) => {
        deliveries.push(delivery);
        if (deliveries.length === 1) await failing;
      },
    });
    await bus.publish(topic, [message(1)]);
    await eventually('a delivery', () => deliveries.length === 1);
    broker.expel(groupId, new Error('crashed'));
    await eventually('another life', () => (broker.members.get(groupId)?.size ?? 0) === 1);
    fail();
    await eventually('the next delivery', () => deliveries.length === 2);
    await eventually('a commit', () => committed() === 1);
    expect(await bus.deadLetters(topic, group)).toEqual([]);
  });

  it('delivers again what failed and could not be stored before the close', async () => {
    const consumer = await bus.consume({
      topic,
      group,
      attemptsMax: 1,
      handle: () => Promise.reject(new Error('no')),
    });
    await bus.publish(topic, [message(1)]);
    let failures = 0;
    broker.beforeSend = () => {
      failures += 1;
      throw new KafkaFailure('unavailable', 'gone');
    };
    await eventually('a failure to store it', () => failures > 0);
    await consumer.close();
    expect(committed()).toBe(0);
    broker.beforeSend = () => undefined;
    const deliveries = await collect(() => undefined, open(broker.client()));
    await eventually('another delivery', () => deliveries.length === 1);
    expect(deliveries).toMatchObject([{ ...message(1), attempt: 1 }]);
  });

  it('passes over what is for another group', async () => {
    await bus.consume({
      topic,
      group: 'others',
      attemptsMax: 1,
      handle: () => Promise.reject(new Error('no')),
    });
    const deliveries = await collect(() => undefined);
    await bus.publish(topic, [message(1)]);
    await eventually(
      'a dead letter',
      async () => (await bus.deadLetters(topic, 'others')).length > 0,
    );
    await bus.retryDeadLetter(topic, 'others', message(1).id);
    await eventually('both commits', () => committed() === 2);
    expect(deliveries).toHaveLength(1);
  });
});
