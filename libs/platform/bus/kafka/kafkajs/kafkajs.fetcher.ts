import { type Kafka, type KafkaMessage } from 'kafkajs';
import { type FetchedRecord, KafkaFailure, type TopicFetcher } from '../kafka-client.port.js';
import { failureOf } from './kafkajs.failures.js';
import { recordOf } from './kafkajs.records.js';

const FETCH_WAIT_MS = 500;
const MAX_BYTES = 10 * 1_024 * 1_024;
const MAX_BYTES_PER_PARTITION = 1_024 * 1_024;
const READ_UNCOMMITTED = 0;
/** A client of Kafka that is no broker. */
const NO_REPLICA = -1;

/** The part of kafkajs' cluster that is used. Its public consumer always joins a group. */
interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addTargetTopic(topic: string): Promise<void>;
  findTopicPartitionMetadata(topic: string): readonly PartitionMetadata[];
  findBroker(broker: { readonly nodeId: string }): Promise<Broker>;
}

interface PartitionMetadata {
  readonly partitionId: number;
  readonly leader: number;
}

interface Broker {
  fetch(request: object): Promise<FetchResponse>;
}

interface FetchResponse {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly partition: number;
      readonly messages: readonly KafkaMessage[];
    }[];
  }[];
}

type CreateCluster = (options: object) => Cluster;

/** Fetches with the connections of kafkajs 2.2.4, as its consumer does inside. */
export class KafkajsFetcher implements TopicFetcher {
  readonly byLeader: readonly (readonly number[])[];
  readonly #leaders = new Map<number, number>();

  private constructor(
    private readonly cluster: Cluster,
    private readonly topic: string,
  ) {
    const byLeader = new Map<number, number[]>();
    for (const { partitionId, leader } of cluster.findTopicPartitionMetadata(topic)) {
      this.#leaders.set(partitionId, leader);
      byLeader.set(leader, [...(byLeader.get(leader) ?? []), partitionId]);
    }
    this.byLeader = [...byLeader.values()];
  }

  static async open(kafka: Kafka, topic: string): Promise<KafkajsFetcher> {
    const cluster = clusterOf(kafka);
    try {
      await cluster.connect();
      await cluster.addTargetTopic(topic);
      return new KafkajsFetcher(cluster, topic);
    } catch (error) {
      await cluster.disconnect().catch(() => undefined);
      throw failureOf(error);
    }
  }

  async fetch(offsets: ReadonlyMap<number, bigint>): Promise<readonly FetchedRecord[]> {
    const [first = 0] = offsets.keys();
    try {
      const nodeId = String(this.#leaders.get(first));
      const broker = await this.cluster.findBroker({ nodeId });
      const { responses } = await broker.fetch({
        replicaId: NO_REPLICA,
        isolationLevel: READ_UNCOMMITTED,
        maxWaitTime: FETCH_WAIT_MS,
        minBytes: 1,
        maxBytes: MAX_BYTES,
        topics: [{ topic: this.topic, partitions: partitionsOf(offsets) }],
      });
      return responses.flatMap(({ partitions }) =>
        partitions.flatMap(({ partition, messages }) =>
          messages
            .map((message) => recordOf(partition, message))
            // A batch begins where its first record does, which may be earlier.
            .filter(({ offset }) => offset >= (offsets.get(partition) ?? 0n)),
        ),
      );
    } catch (error) {
      throw failureOf(error);
    }
  }

  async close(): Promise<void> {
    await this.cluster.disconnect().catch(() => undefined);
  }
}

const partitionsOf = (offsets: ReadonlyMap<number, bigint>) =>
  [...offsets].map(([partition, offset]) => ({
    partition,
    fetchOffset: offset.toString(),
    maxBytes: MAX_BYTES_PER_PARTITION,
  }));

const clusterOf = (kafka: Kafka): Cluster => {
  const name = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  const create = name && (Reflect.get(kafka, name) as CreateCluster | undefined);
  if (typeof create !== 'function') {
    const detail = 'this version of kafkajs makes its cluster in another way';
    throw new KafkaFailure('refused', detail);
  }
  return create({ allowAutoTopicCreation: false });
};
