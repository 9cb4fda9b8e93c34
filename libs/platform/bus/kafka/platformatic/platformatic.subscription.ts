import {
  Base,
  type BaseOptions,
  type ConsumeOptions,
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

/** The default of both clients, by the name that kafkajs has for it: a group may be mixed. */
const PROTOCOL = { name: 'RoundRobinAssigner', version: 1 };

type MessagesStream = Awaited<ReturnType<Consumer['consume']>>;

/** A consumer of @platformatic/kafka. It is used once, like a consumer of kafkajs. */
export class PlatformaticSubscription implements Subscription {
  #stream: MessagesStream | null = null;
  #isPaused = false;

  private constructor(
    private readonly consumer: Consumer,
    private readonly options: SubscribeOptions,
  ) {
    consumer.on('error', options.onFailed);
    consumer.on('consumer:group:join', () => this.#assigned());
    consumer.on('consumer:heartbeat:end', () => {
      if (!this.#isFetching) options.onAlive();
    });
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
    const subscription = new PlatformaticSubscription(consumer, options);
    try {
      // Tracked before it joins, so that there are partitions to assign, and while it is a member.
      consumer.topics.track(topic);
      await consumer.joinGroup({});
      return subscription;
    } catch (error) {
      await subscription.close();
      throw failureOf(error);
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#stream?.resume();
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
    this.#stopReading();
    const { topics } = this.consumer;
    // To leave, it asks for the metadata of the tracked topics, and would stay if there were none.
    while (topics.has(this.options.topic)) topics.untrack(this.options.topic);
    // It is closed without a word to the broker where that does not answer.
    await new Promise<void>((resolve) => this.consumer.leaveGroup(true, () => resolve()));
    await Base.prototype.close.call(this.consumer).catch(() => undefined);
  }

  /** While it fetches, a heartbeat alone is no sign of life. */
  get #isFetching(): boolean {
    return !this.#isPaused && partitionsOf(this.consumer, this.options.topic).length > 0;
  }

  /**
   * Each assignment is read by a stream of its own. One stream for all of them remembers how far it
   * has read a partition, and continues from there when it gets that back: past the records that it
   * had dropped, and past the unfinished records of a member that had it meanwhile.
   */
  #assigned(): void {
    const { consumer, options } = this;
    this.#stopReading();
    options.onAssigned(partitionsOf(consumer, options.topic), consumer.memberId ?? '');
    const reading: ConsumeOptions<Buffer, Buffer, Buffer, Buffer> = {
      topics: [options.topic],
      mode: 'committed',
      fallbackMode: 'earliest',
      autocommit: false,
      minBytes: 1,
      maxBytes: MAX_BYTES,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      maxWaitTime: FETCH_WAIT_MS,
      isolationLevel: FetchIsolationLevels.READ_UNCOMMITTED,
    };
    // Of a member, it is called back at once.
    consumer.consume(reading, (error, stream) => {
      if (stream) this.#read(stream);
      else options.onFailed(error);
    });
  }

  #read(stream: MessagesStream): void {
    const { onFailed, onAlive, onRecords } = this.options;
    const isCurrent = (): boolean => this.#stream === stream;
    this.#stream = stream;
    stream.on('error', (error) => {
      if (isCurrent()) onFailed(error);
    });
    stream.on('close', () => {
      if (isCurrent()) onFailed('the stream was closed');
    });
    stream.on('fetch', () => {
      if (isCurrent()) onAlive();
    });
    stream.on('data', (message: Message) => {
      if (isCurrent()) onRecords([recordOf(message)]);
    });
    if (this.#isPaused) stream.pause();
  }

  #stopReading(): void {
    this.#stream?.destroy();
    this.#stream = null;
  }
}

const partitionsOf = (consumer: Consumer, topic: string): readonly number[] =>
  consumer.assignments?.find((one) => one.topic === topic)?.partitions ?? [];

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
