import kafkajs, { type Admin, type Kafka, type Producer, type SASLOptions } from 'kafkajs';
import { type Logger } from 'pino';
import {
  type KafkaClient,
  type KafkaConnection,
  type KafkaRecord,
  type PartitionBounds,
  type SubscribeOptions,
  type Subscription,
  type TopicFetcher,
  type TopicPlan,
} from '../kafka-client.port.js';
import { failureOf, hasType } from './kafkajs.failures.js';
import { KafkajsFetcher } from './kafkajs.fetcher.js';
import { logCreatorOf } from './kafkajs.logs.js';
import { KafkajsSubscription } from './kafkajs.subscription.js';
import { patchRequestQueue } from './request-queue.patch.js';

/** The bus retries by itself, with its own time limit. */
const RETRY = { retries: 3, initialRetryTime: 50, maxRetryTime: 1_000 };
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** kafkajs 2.2.4 with work-arounds for its known defects: one file for each, and this one. */
export class KafkajsClient implements KafkaClient {
  readonly #kafka: Kafka;
  #admin: Promise<Admin> | null = null;
  #producer: Promise<Producer> | null = null;

  constructor(connection: KafkaConnection, clientId: string, logger: Logger) {
    patchRequestQueue();
    this.#kafka = new kafkajs.Kafka({
      clientId,
      brokers: [...connection.brokers],
      ssl: connection.ssl,
      ...(connection.sasl && { sasl: saslOf(connection.sasl) }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      retry: RETRY,
      logCreator: logCreatorOf(logger),
    });
  }

  async send(topic: string, records: readonly KafkaRecord[]): Promise<void> {
    this.#producer ??= connected(
      this.#kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
      }),
    );
    const producer = this.#producer;
    try {
      const messages = records.map((record) => ({ ...record }));
      await (await producer).send({ topic, acks: -1, messages });
    } catch (error) {
      const failure = failureOf(error);
      // It is unknown whether the records were written, and which sequence number is next.
      if (failure.kind !== 'too-large') this.#dismiss(producer);
      throw failure;
    }
  }

  createTopic({ topic, partitions, replicas, configuration }: TopicPlan): Promise<boolean> {
    return this.#administer((admin) =>
      admin.createTopics({
        topics: [
          {
            topic,
            numPartitions: partitions,
            replicationFactor: replicas,
            configEntries: Object.entries(configuration).map(([name, value]) => ({ name, value })),
          },
        ],
      }),
    );
  }

  brokerCount(): Promise<number> {
    return this.#administer(async (admin) => (await admin.describeCluster()).brokers.length);
  }

  bounds(topic: string): Promise<readonly PartitionBounds[] | null> {
    return this.#administer(async (admin) => {
      try {
        const offsets = await admin.fetchTopicOffsets(topic);
        return offsets.map(({ partition, low, high }) => ({
          partition,
          first: BigInt(low),
          next: BigInt(high),
        }));
      } catch (error) {
        if (hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return null;
        throw error;
      }
    });
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    return KafkajsSubscription.open(this.#kafka, options);
  }

  openFetcher(topic: string): Promise<TopicFetcher> {
    return KafkajsFetcher.open(this.#kafka, topic);
  }

  async deleteGroup(groupId: string): Promise<void> {
    await this.#administer((admin) => admin.deleteGroups([groupId]));
  }

  async close(): Promise<void> {
    const ends = [this.#producer, this.#admin].map(async (end) => (await end)?.disconnect());
    await Promise.allSettled(ends);
  }

  /** The next send makes another producer. */
  #dismiss(producer: Promise<Producer>): void {
    if (this.#producer === producer) this.#producer = null;
    producer.then((one) => one.disconnect()).catch(() => undefined);
  }

  async #administer<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    this.#admin ??= connected(this.#kafka.admin());
    const admin = this.#admin;
    try {
      return await work(await admin);
    } catch (error) {
      if (this.#admin === admin) this.#admin = null;
      admin.then((one) => one.disconnect()).catch(() => undefined);
      throw failureOf(error);
    }
  }
}

const connected = async <End extends Producer | Admin>(end: End): Promise<End> => {
  await end.connect();
  return end;
};

const saslOf = (sasl: NonNullable<KafkaConnection['sasl']>): SASLOptions => sasl;
