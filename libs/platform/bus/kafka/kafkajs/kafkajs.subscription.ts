import { type Consumer, type EachBatchPayload, type Kafka } from 'kafkajs';
import { type SubscribeOptions, type Subscription } from '../kafka-client.port.js';
import { failureOf } from './kafkajs.failures.js';
import { recordOf } from './kafkajs.records.js';

const HEARTBEATS_PER_SESSION = 10;
/** The length of an empty fetch; also the delay after which a paused subscription resumes. */
const FETCH_WAIT_MS = 500;
const REBALANCE_TIMEOUT_MS = 30_000;

/** A consumer of kafkajs. It runs once: after a crash the subscriber replaces it. */
export class KafkajsSubscription implements Subscription {
  private constructor(
    private readonly consumer: Consumer,
    private readonly topic: string,
    private readonly onFailed: SubscribeOptions['onFailed'],
  ) {}

  static async open(kafka: Kafka, options: SubscribeOptions): Promise<KafkajsSubscription> {
    const { topic, groupId, sessionTimeoutMs } = options;
    const consumer = kafka.consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: sessionTimeoutMs / HEARTBEATS_PER_SESSION,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      minBytes: 1,
      readUncommitted: true,
      allowAutoTopicCreation: false,
      // The restart of kafkajs itself can leave two members, or none.
      retry: { retries: 5, restartOnFailure: () => Promise.resolve(false) },
    });
    try {
      const joined = listen(consumer, options);
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({ autoCommit: false, eachBatch: (batch) => take(batch, options) });
      await joined;
      return new KafkajsSubscription(consumer, topic, options.onFailed);
    } catch (error) {
      await consumer.disconnect().catch(() => undefined);
      throw failureOf(error);
    }
  }

  pause(): void {
    this.#steer(() => this.consumer.pause([{ topic: this.topic }]));
  }

  resume(): void {
    this.#steer(() => this.consumer.resume([{ topic: this.topic }]));
  }

  /** Before kafkajs reports a crash, its methods throw. */
  #steer(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.onFailed(error);
    }
  }

  async commit(offsets: ReadonlyMap<number, bigint>): Promise<void> {
    const { topic } = this;
    const entries = [...offsets].map(([partition, offset]) => ({
      topic,
      partition,
      offset: offset.toString(),
    }));
    try {
      await this.consumer.commitOffsets(entries);
    } catch (error) {
      throw failureOf(error);
    }
  }

  async close(): Promise<void> {
    await this.consumer.disconnect().catch(() => undefined);
  }
}

/** @returns resolves when it has joined the group; rejects when it cannot */
const listen = (consumer: Consumer, options: SubscribeOptions): Promise<void> => {
  const { events } = consumer;
  const joined = new Promise<void>((resolve, reject) => {
    consumer.on(events.GROUP_JOIN, ({ payload }) => {
      options.onAssigned(payload.memberAssignment[options.topic] ?? [], payload.memberId);
      options.onAlive();
      resolve();
    });
    // kafkajs must never restart it by itself.
    consumer.on(events.CRASH, ({ payload }) => {
      options.onFailed(payload.error);
      reject(payload.error);
    });
  });
  // After a failure to connect there is nothing to wait for.
  joined.catch(() => undefined);
  consumer.on(events.FETCH, options.onAlive);
  return joined;
};

/** Accepts the batch and returns. Slow partitions are paused, so heartbeats never wait. */
const take = async (payload: EachBatchPayload, options: SubscribeOptions): Promise<void> => {
  const { partition, messages } = payload.batch;
  options.onRecords(messages.map((message) => recordOf(partition, message)));
  await payload.heartbeat();
};
