import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { BusError } from '#platform/bus/bus.errors.js';
import { type Bus, type BusMessage, type Delivery } from '#platform/bus/bus.port.js';
import { type KafkaBusBehaviour, openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { type KafkaServer, startKafka } from '../servers/kafka/kafka.server.js';
import { BOTH_CLIENTS, CLIENT, eventually, KEYS, message, SCHEMES } from './kafka.fixture.js';

/** Longer than a process on a busy machine waits for the CPU. */
const SESSION_MS = 3_000;
/** Repeats a rejected message, as the port requires of publishers. */
const publishUntilTaken = async (bus: Bus, topic: string, one: BusMessage): Promise<void> => {
  for (;;) {
    try {
      await bus.publish(topic, [one]);
      return;
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
    }
  }
};

let kafka: KafkaServer;
let broker: string;

beforeAll(async () => {
  kafka = await startKafka();
  broker = `${kafka.address.host}:${kafka.address.port}`;
});

afterAll(() => kafka.stop());

describe.each([CLIENT])('Kafka through %s', (client) => {
  let bus: Bus;
  let topic: string;
  const opened: Bus[] = [];

  const open = async (behaviour: KafkaBusBehaviour = {}): Promise<Bus> => {
    const options = { brokers: [broker], ssl: false, sessionTimeoutMs: SESSION_MS };
    const one = await openKafkaBus({ ...options, client, ...behaviour });
    opened.push(one);
    return one;
  };

  beforeEach(async () => {
    topic = `faults.${randomUUID()}`;
    bus = await open();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  const collect = async (
    handle: (delivery: Delivery) => Promise<void> = () => Promise.resolve(),
  ) => {
    const deliveries: Delivery[] = [];
    await bus.consume({
      topic,
      group: 'workers',
      handle: async (delivery) => {
        deliveries.push(delivery);
        await handle(delivery);
      },
    });
    return deliveries;
  };

  it('loses no accepted message of a killed broker, and still delivers to a listener', async () => {
    const deliveries = await collect();
    const heard: unknown[] = [];
    const failures: unknown[] = [];
    const spoken = `${topic}.listened`;
    await bus.listen({
      topic: spoken,
      handle: ({ data }) => void heard.push(data),
      onFailed: (failure) => void failures.push(failure),
    });
    await bus.publish(spoken, [message(1)]);
    await eventually('the first that is heard', () => heard.length === 1);
    let hasEnded = false;
    let count = 0;
    const sending = Array.from({ length: KEYS }, async (_, lane) => {
      for (let n = lane; !hasEnded; n += KEYS) {
        await publishUntilTaken(bus, topic, message(n));
        count += 1;
      }
    });
    await eventually('some', () => count > 100);
    await kafka.kill();
    await sleep(1_000);
    await kafka.restart();
    const before = count;
    await eventually('some more', () => count > before + 100);
    hasEnded = true;
    await Promise.all(sending);
    await eventually('all', () => new Set(deliveries.map(({ id }) => id)).size === count);
    for (let lane = 0; lane < KEYS; lane += 1) {
      const ofKey = deliveries.filter(({ key }) => key === `job-${lane}`);
      const firsts = [...new Set(ofKey.map(({ data }) => data as number))];
      expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
    }
    await publishUntilTaken(bus, spoken, message(2));
    await eventually('the second that is heard', () => heard.includes(2));
    await eventually('health', async () => (await bus.health()).reachable);
    expect(heard.filter((data) => data === 1)).toEqual([1]);
    expect(failures).toEqual([]);
  });

  it('continues after the broker was frozen', async () => {
    const deliveries = await collect();
    await bus.publish(topic, [message(1)]);
    await eventually('the first', () => deliveries.length > 0);
    kafka.freeze();
    const publishing = publishUntilTaken(bus, topic, message(2));
    await sleep(SESSION_MS + 1_000);
    kafka.thaw();
    await publishing;
    await eventually('the second', () => deliveries.some(({ data }) => data === 2));
  });

  it('fails when the broker is down', async () => {
    const impatient = await open({ timeoutMs: 1_000 });
    await impatient.publish(topic, [message(1)]);
    await kafka.kill();
    const unavailable = expect.objectContaining({ name: 'BusError', code: 'bus-unavailable' });
    try {
      await expect(impatient.publish(topic, [message(2)])).rejects.toEqual(unavailable);
      const handle = () => Promise.resolve();
      await expect(impatient.consume({ topic, group: 'late', handle })).rejects.toEqual(
        unavailable,
      );
      await expect(impatient.deadLetters(topic, 'late')).rejects.toEqual(unavailable);
      await expect(impatient.close()).resolves.toBeUndefined();
    } finally {
      await kafka.restart();
    }
  });

  it('delivers the message of a killed member to another member', async () => {
    await bus.publish(topic, [message(1)]);
    const url = kafka.url.replace('kafka:', SCHEMES[client]);
    const member = await startMember(url, topic, 'workers');
    member.kill('SIGKILL');
    const deliveries = await collect();
    await eventually('the message', () => deliveries.length > 0);
    expect(deliveries).toMatchObject([{ ...message(1), attempt: 1 }]);
  });

  it('keeps its partitions while a handler takes longer than a session', async () => {
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const deliveries = await collect(({ key }) => (key === 'slow' ? slow : Promise.resolve()));
    await bus.publish(topic, [message(0, 'slow')]);
    for (let n = 1; n <= 3; n += 1) {
      await sleep(SESSION_MS / 2);
      await bus.publish(
        topic,
        Array.from({ length: KEYS }, (_, lane) => message(n * KEYS + lane)),
      );
      await eventually('the others', () => deliveries.length === n * KEYS + 1);
    }
    finish();
    await bus.publish(topic, [message(1, 'slow')]);
    await eventually('the next of the key', () => deliveries.at(-1)?.key === 'slow');
    expect(new Set(deliveries.map(({ attempt }) => attempt))).toEqual(new Set([1]));
    expect(deliveries).toHaveLength(3 * KEYS + 2);
  });

  it('is healthy without a partition', async () => {
    bus = await open({ topicSettings: () => ({ partitions: 1 }) });
    await collect();
    await collect();
    await sleep(SESSION_MS);
    expect(await bus.health()).toEqual({ reachable: true, reason: null });
  });

  it('commits only settled messages', async () => {
    bus = await open({ topicSettings: () => ({ partitions: 2 }) });
    const done = await collect();
    const admin = new kafkajs.Kafka({ brokers: [broker] }).admin();
    await admin.connect();
    const committed = async () => {
      const [offsets] = await admin.fetchOffsets({ groupId: `workers@${topic}`, topics: [topic] });
      return offsets?.partitions.map(({ offset }) => offset).toSorted();
    };
    expect(await committed()).toEqual(['-1', '-1']);
    await bus.publish(topic, [message(1, 'job-1'), message(2, 'job-1')]);
    await eventually('both', () => done.length === 2);
    await eventually('a commit', async () => (await committed())?.includes('2') === true);
    expect(await committed()).toEqual(['-1', '2']);
    await admin.disconnect();
  });

  it('turns a foreign message into a dead letter, and continues', async () => {
    await bus.publish(topic, [message(1)]);
    const foreign = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING });
    const producer = foreign.producer();
    await producer.connect();
    for (const record of [
      { key: null, value: 'no JSON {' },
      { key: 'job-1', value: null },
      { key: 'job-1', value: Buffer.from([0xff, 0x00]), headers: { 'quipu.id': 'x', a: ['b'] } },
    ]) {
      await producer.send({ topic, messages: [{ ...record, partition: 0 }] });
    }
    await producer.disconnect();
    await bus.publish(
      topic,
      Array.from({ length: KEYS * 4 }, (_, n) => message(n, `key-${n}`)),
    );
    const deliveries = await collect();
    await eventually('the others', () => deliveries.length === KEYS * 4 + 1);
    await eventually(
      'the dead letters',
      async () => (await bus.deadLetters(topic, 'workers')).length === 3,
    );
    const letters = await bus.deadLetters(topic, 'workers');
    expect(new Set(letters.map(({ reason }) => reason))).toEqual(
      new Set(['not a message of the bus']),
    );
    expect(letters.map(({ data }) => data)).toContain('no JSON {');
  });

  it('accepts more messages at once than a request may hold', async () => {
    const text = 'x'.repeat(300_000);
    const messages = Array.from({ length: 20 }, (_, n) => ({ ...message(n, 'job-1'), data: text }));
    const deliveries = await collect();
    await bus.publish(topic, messages);
    await eventually('all', () => deliveries.length === 20);
    expect(deliveries.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
  });

  it('creates topics with the given settings', async () => {
    const configured = await open({
      topicSettings: () => ({ partitions: 3, retentionMs: 3_600_000 }),
    });
    await configured.publish(topic, [message(1)]);
    const kafkaOfTests = new kafkajs.Kafka({ brokers: [broker] });
    const admin = kafkaOfTests.admin();
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
    });
    await admin.disconnect();
    expect(topics[0]?.partitions).toHaveLength(3);
    expect(topics[0]?.partitions[0]?.replicas).toHaveLength(1);
    expect(resources[0]?.configEntries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ configName: 'retention.ms', configValue: '3600000' }),
        expect.objectContaining({ configName: 'cleanup.policy', configValue: 'delete' }),
      ]),
    );
  });
});

describe('the two clients', () => {
  it('put a key in the same partition, and read messages of each other', async () => {
    const topic = `faults.${randomUUID()}`;
    const options = { brokers: [broker], ssl: false };
    const buses = await Promise.all(
      BOTH_CLIENTS.map((client) => openKafkaBus({ ...options, client })),
    );
    const deliveries: Delivery[] = [];
    await buses[1]?.consume({
      topic,
      group: 'workers',
      handle: (delivery) => Promise.resolve(void deliveries.push(delivery)),
    });
    for (let n = 0; n < 200; n += 1) await buses[n % 2]?.publish(topic, [message(n)]);
    await eventually('all', () => deliveries.length === 200);
    for (let lane = 0; lane < KEYS; lane += 1) {
      const ofKey = deliveries.filter(({ key }) => key === `job-${lane}`).map(({ data }) => data);
      expect(ofKey).toEqual(Array.from({ length: 25 }, (_, index) => index * KEYS + lane));
    }
    await Promise.all(buses.map((bus) => bus.close()));
  });
});

describe('a group with members on both clients', () => {
  it.each([
    ['kafkajs', 'platformatic'],
    ['platformatic', 'kafkajs'],
  ] as const)('led by %s shares messages', async (...clients) => {
    const topic = `faults.${randomUUID()}`;
    const options = { brokers: [broker], ssl: false, sessionTimeoutMs: SESSION_MS };
    const handled = { kafkajs: new Set<string>(), platformatic: new Set<string>() };
    const buses: Bus[] = [];
    for (const client of clients) {
      const bus = await openKafkaBus({ ...options, client });
      buses.push(bus);
      const handle = ({ id }: Delivery) => Promise.resolve(void handled[client].add(id));
      await bus.consume({ topic, group: 'workers', handle });
    }
    await buses[0]?.publish(
      topic,
      Array.from({ length: 100 }, (_, n) => message(n, `key-${n}`)),
    );
    const all = () => new Set([...handled.kafkajs, ...handled.platformatic]);
    await eventually('all', () => all().size === 100);
    expect(handled.kafkajs.size).toBeGreaterThan(0);
    expect(handled.platformatic.size).toBeGreaterThan(0);
    await Promise.all(buses.map((bus) => bus.close()));
  });
});

describe('kafkajs with nothing to do', () => {
  const IDLE_SECONDS = 3;

  const idle = async (state: 'unpatched' | 'patched') => {
    const program = path.join(import.meta.dirname, 'kafka.idle-client.ts');
    const words = [program, broker, state, `${IDLE_SECONDS}`];
    const { stdout } = await promisify(execFile)('node', words);
    return JSON.parse(stdout) as { timersPerSecond: number; warnings: readonly string[] };
  };

  // Fails with a release of kafkajs that needs no patch.
  it('spins on a timer, unless it is patched', async () => {
    const unpatched = await idle('unpatched');
    const patched = await idle('patched');
    expect(unpatched.warnings).toContain('TimeoutNegativeWarning');
    expect(patched.warnings).toEqual([]);
    expect(patched.timersPerSecond).toBeLessThan(unpatched.timersPerSecond / 5);
  });
});

/** Resolves when the member has taken a message. */
const startMember = async (url: string, topic: string, group: string): Promise<ChildProcess> => {
  const program = path.join(import.meta.dirname, 'kafka.member.ts');
  const member = spawn('node', [program, url, topic, group], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(member, 'exit').then(() => Promise.reject(new Error('the member has ended')));
  await Promise.race([once(member.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  return member;
};
