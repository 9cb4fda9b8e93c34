import {
  Base,
  type BaseOptions,
  Consumer,
  FetchIsolationLevels,
  type Message,
} from '@platformatic/kafka';
import {
  type FetchedRecord,
  type SubscribeOptions,
  type Subscription,
} from '../kafka-client.port.js';
import { failureOf } from './platformatic.failures.js';

const HEARTBEATS_PER_SESSION = 10;
const FETCH_WAIT_MS = 500;
/** A join is answered when all members have joined; requests must not time out before. */
const REBALANCE_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = REBALANCE_TIMEOUT_MS + 5_000;
const MAX_BYTES = 10 * 1_024 * 1_024;
const MAX_BYTES_PER_PARTITION = 1_024 * 1_024;

/** What both clients do by default, by the name that kafkajs has for it: a group may be mixed. */
const PROTOCOL = { name: 'RoundRobinAssigner', version: 1 };

type MessagesStream = Awaited<ReturnType<Consumer['consume']>>;

/** A consumer of @platformatic/kafka. It lives once, as that of kafkajs does. */
export class PlatformaticSubscription implements Subscription {
  #isPaused = false;

  private constructor(
    private readonly consumer: Consumer,
    private readonly stream: MessagesStream,
    private readonly options: SubscribeOptions,
  ) {
    stream.on('error', options.onFailed);
    stream.on('close', () => options.onFailed('the stream was closed'));
    stream.on('fetch', options.onAlive);
    // Fetches rest while it is paused; otherwise a heartbeat alone is no sign of life.
    consumer.on('consumer:heartbeat:end', () => {
      if (this.#isPaused) options.onAlive();
    });
    stream.on('data', (message: Message) => options.onRecords([recordOf(message)]));
  }

  static async open(base: BaseOptions, options: SubscribeOptions): Promise<Subscription> {
    const { topic, groupId, sessionTimeoutMs } = options;
    const consumer: Consumer = new Consumer({
      ...base,
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: Math.max(REBALANCE_TIMEOUT_MS, sessionTimeoutMs),
      heartbeatInterval: sessionTimeoutMs / HEARTBEATS_PER_SESSION,
      requestTimeout: REQUEST_TIMEOUT_MS,
      protocols: [PROTOCOL],
      autocommit: false,
    });
    consumer.on('error', options.onFailed);
    try {
      // Tracked before it joins, so that there is something to share out; `consume` then only reads.
      consumer.topics.track(topic);
      const assigned = (): void =>
        options.onAssigned(partitionsOf(consumer, topic), memberOf(consumer));
      consumer.on('consumer:group:join', () => {
        assigned();
        commitBeginnings(consumer, topic).catch(options.onFailed);
      });
      await consumer.joinGroup({});
      await commitBeginnings(consumer, topic);
      const stream = await consumer.consume({
        topics: [topic],
        mode: 'committed',
        fallbackMode: 'earliest',
        autocommit: false,
        minBytes: 1,
        maxBytes: MAX_BYTES,
        maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
        maxWaitTime: FETCH_WAIT_MS,
        isolationLevel: FetchIsolationLevels.READ_UNCOMMITTED,
      });
      return new PlatformaticSubscription(consumer, stream, options);
    } catch (error) {
      await closed(consumer);
      throw failureOf(error);
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.stream.resume();
  }

  async commit(offsets: ReadonlyMap<number, bigint>): Promise<void> {
    const { topic } = this.options;
    const mine = partitionsOf(this.consumer, topic);
    const entries = [...offsets]
      .filter(([partition]) => mine.includes(partition))
      .map(([partition, offset]) => ({ topic, partition, offset, leaderEpoch: -1 }));
    if (entries.length === 0) return;
    try {
      await this.consumer.commit({ offsets: entries });
    } catch (error) {
      throw failureOf(error);
    }
  }

  async close(): Promise<void> {
    this.stream.destroy();
    await closed(this.consumer);
  }
}

const partitionsOf = (consumer: Consumer, topic: string): readonly number[] =>
  consumer.assignments?.find((one) => one.topic === topic)?.partitions ?? [];

const memberOf = ({ memberId }: Consumer): string => memberId ?? '';

/**
 * Commits where a group begins. The stream remembers how far it has read a partition that it lost
 * before anything of it was committed, and would go on from there when it gets it back: what it had
 * read and dropped would be lost.
 */
const commitBeginnings = async (consumer: Consumer, topic: string): Promise<void> => {
  const partitions = [...partitionsOf(consumer, topic)];
  if (partitions.length === 0) return;
  const committed = await consumer.listCommittedOffsets({ topics: [{ topic, partitions }] });
  const missing = partitions.filter((one) => (committed.get(topic)?.[one] ?? -1n) < 0n);
  if (missing.length === 0) return;
  const firsts = await consumer.listOffsets({ topics: [topic], timestamp: -2n });
  const offsets = missing.map((partition) => ({
    topic,
    partition,
    offset: firsts.get(topic)?.[partition] ?? 0n,
    leaderEpoch: -1,
  }));
  await consumer.commit({ offsets });
};

/** Leaves the group; where the broker does not answer, its connections are closed all the same. */
const closed = (consumer: Consumer): Promise<void> =>
  new Promise((resolve) => {
    consumer.close(true, (error) => {
      if (!error) {
        resolve();
        return;
      }
      // What `Consumer` adds to it is to leave the group.
      Base.prototype.close.call(consumer).then(resolve, () => resolve());
    });
  });

const recordOf = ({ key, value, headers, partition, offset }: Message): FetchedRecord => ({
  partition,
  offset,
  key: textOf(key),
  value: bytesOf(value),
  headers: Object.fromEntries(
    [...headers].map(([name, text]) => [textOf(name) ?? '', textOf(text) ?? '']),
  ),
});

/** A record may have none, whatever the declared type says. */
const bytesOf = (bytes: Buffer | undefined): Buffer | null => bytes ?? null;

const textOf = (bytes: Buffer | undefined): string | null => bytes?.toString('utf8') ?? null;
