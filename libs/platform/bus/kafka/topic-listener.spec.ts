import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Logger } from 'pino';
import { eventually, message, numberOf } from '../bus.fixture.js';
import { type Bus, type BusMessage } from '../bus.port.js';
import { createKafkaBus } from './kafka-bus.js';
import { BrokerInMemory } from './kafka-client.fake.js';
import { type KafkaClient, KafkaFailure } from './kafka-client.port.js';

const topic = 'replies';
const TIMEOUT_MS = 300;

describe('a listener of a topic', () => {
  let broker: BrokerInMemory;
  let bus: Bus;
  let heard: BusMessage[];
  let failures: unknown[];

  beforeEach(() => {
    broker = new BrokerInMemory();
    const topicSettings = () => ({ partitions: 2 });
    bus = createKafkaBus(broker.client(), { topicSettings, timeoutMs: TIMEOUT_MS });
    heard = [];
    failures = [];
  });

  afterEach(() => bus.close());

  const listen = () =>
    bus.listen({
      topic,
      handle: (one) => void heard.push(one),
      onFailed: (failure) => void failures.push(failure),
    });

  it('joins no group', async () => {
    await listen();
    await bus.publish(topic, [message(1)]);
    await eventually('a message', () => heard.length === 1);
    expect(broker.members.size).toBe(0);
    expect(broker.commits.size).toBe(0);
  });

  it('continues where it stopped when a fetch fails', async () => {
    await listen();
    await bus.publish(topic, [message(1)]);
    await eventually('the first', () => heard.length === 1);
    let failed = 0;
    broker.beforeFetch = () => {
      failed += 1;
      throw new KafkaFailure('unavailable', 'the broker has gone');
    };
    await eventually('a failure', () => failed > 0);
    await bus.publish(topic, [message(2), message(3, 'job-2')]);
    broker.beforeFetch = () => undefined;
    await eventually('the others', () => heard.length === 3);
    expect(heard.map(numberOf).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(failures).toEqual([]);
  });

  it('backs off while fetches fail, and logs the outage once, and its end', async () => {
    const logged: string[] = [];
    const log = (_: unknown, text: string) => void logged.push(text);
    const logger = { warn: log, info: log } as unknown as Logger;
    const topicSettings = () => ({ partitions: 1 });
    const logging = createKafkaBus(broker.client(), { logger, topicSettings });
    await logging.listen({ topic, handle: () => undefined, onFailed: () => undefined });
    let failed = 0;
    broker.beforeFetch = () => {
      failed += 1;
      throw new KafkaFailure('unavailable', 'the broker has gone');
    };
    await eventually('three failures', () => failed === 3);
    broker.beforeFetch = () => undefined;
    await eventually('the end', () => logged.length === 2);
    expect(logged).toEqual(['a topic cannot be read', 'a topic is read again']);
    await logging.close();
  });

  it('handles a message once that an abandoned fetch brings, too', async () => {
    const client = broker.client();
    let isLate = true;
    let failed = 0;
    let finish = (): void => undefined;
    const late = new Promise<void>((resolve) => (finish = resolve));
    const slow: KafkaClient = {
      ...client,
      openFetcher: async (name) => {
        const fetcher = await client.openFetcher(name);
        const fetch = async (offsets: ReadonlyMap<number, bigint>) => {
          const records = await fetcher.fetch(offsets);
          if (records.length === 0 || !isLate) return records;
          isLate = false;
          // The fetch of the other partition.
          broker.beforeFetch = () => {
            failed += 1;
            throw new KafkaFailure('unavailable', 'the other broker has gone');
          };
          await late;
          return records;
        };
        return { ...fetcher, fetch };
      },
    };
    const topicSettings = () => ({ partitions: 2 });
    const slowBus = createKafkaBus(slow, { topicSettings });
    await slowBus.listen({
      topic,
      handle: (one) => void heard.push(one),
      onFailed: (failure) => void failures.push(failure),
    });
    await slowBus.publish(topic, [message(1)]);
    await eventually('the failure', () => failed > 0);
    broker.beforeFetch = () => undefined;
    await eventually('the message', () => heard.length === 1);
    finish();
    await slowBus.publish(topic, [message(2)]);
    await eventually('the next', () => heard.length > 1);
    expect(heard.map(numberOf)).toEqual([1, 2]);
    await slowBus.close();
  });

  it('makes the bus unhealthy while its topic cannot be read', async () => {
    const listener = await listen();
    expect(await bus.health()).toEqual({ reachable: true, reason: null });
    broker.beforeFetch = () => {
      throw new KafkaFailure('unavailable', 'the broker has gone');
    };
    const nowMs = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(nowMs + 6_000);
    const reason = 'replies cannot be read at the moment';
    expect(await bus.health()).toEqual({ reachable: false, reason });
    await listener.close();
    expect(await bus.health()).toEqual({ reachable: true, reason: null });
    now.mockRestore();
  });

  it('begins with the oldest record when a topic was made again', async () => {
    await listen();
    await bus.publish(topic, [message(1), message(2)]);
    await eventually('both', () => heard.length === 2);
    for (const partition of broker.topics.get(topic)?.partitions ?? []) partition.length = 0;
    await bus.publish(topic, [message(3)]);
    await eventually('the third', () => heard.some((one) => numberOf(one) === 3));
    expect(heard.map(numberOf)).toEqual([1, 2, 3]);
  });

  it('reports a foreign message', async () => {
    await listen();
    const record = { partition: 0, key: 'job-1', value: Buffer.from('{'), headers: {} };
    await broker.client().send(topic, [record]);
    await bus.publish(topic, [message(1)]);
    await eventually('the message', () => heard.length === 1);
    await eventually('the foreign one', () => failures.length === 1);
    expect(failures).toEqual([new Error('not a message of the bus')]);
  });

  it('is rejected when the topic cannot be opened in time, and then reads nothing', async () => {
    const client = broker.client();
    let attempts = 0;
    const impatient = createKafkaBus(
      {
        ...client,
        openFetcher: () => {
          attempts += 1;
          return Promise.reject(new KafkaFailure('unavailable', 'no leader'));
        },
      },
      { timeoutMs: 20 },
    );
    const options = { topic, handle: () => undefined, onFailed: () => undefined };
    await expect(impatient.listen(options)).rejects.toMatchObject({
      code: 'bus-unavailable',
      message: 'bus-unavailable: could not listen to replies: no leader',
    });
    expect(attempts).toBe(1);
    expect(await impatient.health()).toEqual({ reachable: true, reason: null });
    await impatient.close();
  });
});
