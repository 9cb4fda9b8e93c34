import { isIP } from 'node:net';
import {
  Admin,
  type BaseOptions,
  type ClusterMetadata,
  ListOffsetTimestamps,
  ProduceAcks,
  Producer,
  type SASLMechanismValue,
} from '@platformatic/kafka';
import { type Logger } from 'pino';
import {
  type KafkaClient,
  type KafkaConnection,
  type KafkaRecord,
  type PartitionBounds,
  type SaslMechanism,
  type SubscribeOptions,
  type Subscription,
  type TopicFetcher,
  type TopicPlan,
} from '../kafka-client.port.js';
import { failureOf, isBrokerError } from './platformatic.failures.js';
import { PlatformaticFetcher } from './platformatic.fetcher.js';
import { PlatformaticSubscription } from './platformatic.subscription.js';

const MECHANISMS: Readonly<Record<SaslMechanism, SASLMechanismValue>> = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
};
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The bus retries by itself, with its own time limit. */
const RETRIES = 2;
const RETRY_DELAY_MS = 100;

type BytesProducer = Producer;

/** The same bus on @platformatic/kafka. */
export class PlatformaticClient implements KafkaClient {
  readonly #options: BaseOptions;
  #admin: Admin | null = null;
  #producer: BytesProducer | null = null;

  constructor(
    connection: KafkaConnection,
    clientId: string,
    private readonly logger: Logger,
  ) {
    this.#options = {
      clientId,
      bootstrapBrokers: [...connection.brokers],
      ...(connection.ssl && { tls: {}, tlsServerName: areNames(connection.brokers) }),
      ...(connection.sasl && { sasl: saslOf(connection.sasl) }),
      connectTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      timeout: REQUEST_TIMEOUT_MS,
      retries: RETRIES,
      retryDelay: RETRY_DELAY_MS,
      autocreateTopics: false,
    };
  }

  async send(topic: string, records: readonly KafkaRecord[]): Promise<void> {
    this.#producer ??= this.#createProducer();
    const producer = this.#producer;
    try {
      await producer.send({ messages: records.map((record) => bytesOf(topic, record)) });
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== 'too-large') {
        // It is unknown whether the records were written, and which sequence number is next.
        if (this.#producer === producer) this.#producer = null;
        producer.close().catch(() => undefined);
      }
      throw failure;
    }
  }

  createTopic({ topic, partitions, replicas, configuration }: TopicPlan): Promise<boolean> {
    const configs = Object.entries(configuration).map(([name, value]) => ({ name, value }));
    return this.#administer(async (admin) => {
      try {
        await admin.createTopics({ topics: [topic], partitions, replicas, configs });
        return true;
      } catch (error) {
        if (isBrokerError(error, 'TOPIC_ALREADY_EXISTS')) return false;
        throw error;
      }
    });
  }

  brokerCount(): Promise<number> {
    return this.#administer(async (admin) => {
      const { brokers } = await admin.metadata({ topics: [], forceUpdate: true });
      return brokers.size;
    });
  }

  bounds(topic: string): Promise<readonly PartitionBounds[] | null> {
    return this.#administer(async (admin) => {
      const metadata = await metadataOf(admin, topic);
      const partitions = metadata?.topics.get(topic)?.partitions;
      if (!partitions) return null;
      const at = async (timestamp: bigint): Promise<ReadonlyMap<number, bigint>> => {
        const wanted = partitions.map((_, partitionIndex) => ({ partitionIndex, timestamp }));
        const [listed] = await admin.listOffsets({
          topics: [{ name: topic, partitions: wanted }],
        });
        return new Map(listed?.partitions.map((one) => [one.partitionIndex, one.offset]));
      };
      const first = await at(ListOffsetTimestamps.EARLIEST);
      const next = await at(ListOffsetTimestamps.LATEST);
      return partitions.map((_, partition) => ({
        partition,
        first: first.get(partition) ?? 0n,
        next: next.get(partition) ?? 0n,
      }));
    });
  }

  subscribe(options: SubscribeOptions): Promise<Subscription> {
    return PlatformaticSubscription.open(this.#options, options);
  }

  openFetcher(topic: string): Promise<TopicFetcher> {
    return PlatformaticFetcher.open(this.#options, topic);
  }

  async deleteGroup(groupId: string): Promise<void> {
    await this.#administer((admin) => admin.deleteGroups({ groups: [groupId] }));
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#producer?.close(), this.#admin?.close()]);
  }

  #createProducer(): BytesProducer {
    const producer: BytesProducer = new Producer({
      ...this.#options,
      idempotent: true,
      acks: ProduceAcks.ALL,
      maxInflights: 1,
    });
    producer.on('error', (error: Error) =>
      this.logger.debug({ reason: error.message }, 'producer'),
    );
    return producer;
  }

  async #administer<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    this.#admin ??= new Admin(this.#options);
    const admin = this.#admin;
    try {
      return await work(admin);
    } catch (error) {
      if (this.#admin === admin) this.#admin = null;
      admin.close().catch(() => undefined);
      throw failureOf(error);
    }
  }
}

const metadataOf = async (admin: Admin, topic: string): Promise<ClusterMetadata | null> => {
  try {
    return await admin.metadata({ topics: [topic], forceUpdate: true });
  } catch (error) {
    // The client puts this in place of the broker's own error.
    if (error instanceof Error && error.message === `Unknown topic ${topic}.`) return null;
    throw error;
  }
};

/** TLS names hosts, not addresses (RFC 6066, section 3). */
const areNames = (brokers: readonly string[]): boolean =>
  !brokers.some((broker) => isIP(broker.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')));

const saslOf = ({ mechanism, ...credentials }: NonNullable<KafkaConnection['sasl']>) => ({
  mechanism: MECHANISMS[mechanism],
  ...credentials,
});

const bytesOf = (topic: string, { partition, key, value, headers }: KafkaRecord) => ({
  topic,
  partition,
  key: Buffer.from(key),
  ...(value && { value }),
  headers: new Map(
    Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]),
  ),
});
