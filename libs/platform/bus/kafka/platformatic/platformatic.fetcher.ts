import { Base, type BaseOptions, Consumer, FetchIsolationLevels } from '@platformatic/kafka';
import { type FetchedRecord, KafkaFailure, type TopicFetcher } from '../kafka-client.port.js';
import { failureOf } from './platformatic.failures.js';

const FETCH_WAIT_MS = 500;
const MAX_BYTES = 10 * 1_024 * 1_024;
const MAX_BYTES_PER_PARTITION = 1_024 * 1_024;
/** The consumer requires the name of a group, which it joins only on request. */
const UNUSED_GROUP = 'unused';
const UNKNOWN_EPOCH = -1;

type FetchResponse = Awaited<ReturnType<Consumer['fetch']>>;

/** Fetches with a consumer of @platformatic/kafka that joins no group. */
export class PlatformaticFetcher implements TopicFetcher {
  readonly byLeader: readonly (readonly number[])[];

  private constructor(
    private readonly consumer: Consumer,
    private readonly topicId: string,
    private readonly leaders: readonly number[],
  ) {
    const nodes = [...new Set(leaders)];
    this.byLeader = nodes.map((node) =>
      [...leaders.keys()].filter((partition) => leaders[partition] === node),
    );
  }

  static async open(base: BaseOptions, topic: string): Promise<PlatformaticFetcher> {
    const consumer: Consumer = new Consumer({ ...base, groupId: UNUSED_GROUP });
    // Each fetch reports its own failure.
    consumer.on('error', () => undefined);
    try {
      const metadata = await consumer.metadata({ topics: [topic], forceUpdate: true });
      const known = metadata.topics.get(topic);
      if (!known) throw new KafkaFailure('unavailable', `the brokers do not know ${topic}`);
      const leaders = known.partitions.map(({ leader }) => leader);
      return new PlatformaticFetcher(consumer, known.id, leaders);
    } catch (error) {
      await closed(consumer);
      throw failureOf(error);
    }
  }

  async fetch(offsets: ReadonlyMap<number, bigint>): Promise<readonly FetchedRecord[]> {
    const [first = 0] = offsets.keys();
    const partitions = [...offsets].map(([partition, fetchOffset]) => ({
      partition,
      fetchOffset,
      partitionMaxBytes: MAX_BYTES_PER_PARTITION,
      currentLeaderEpoch: UNKNOWN_EPOCH,
      lastFetchedEpoch: UNKNOWN_EPOCH,
    }));
    try {
      const response = await this.consumer.fetch({
        node: this.leaders[first] ?? UNKNOWN_EPOCH,
        topics: [{ topicId: this.topicId, partitions }],
        maxWaitTime: FETCH_WAIT_MS,
        minBytes: 1,
        maxBytes: MAX_BYTES,
        isolationLevel: FetchIsolationLevels.READ_UNCOMMITTED,
      });
      // A batch begins where its first record does, which may be earlier.
      return recordsOf(response).filter(
        ({ partition, offset }) => offset >= (offsets.get(partition) ?? 0n),
      );
    } catch (error) {
      throw failureOf(error);
    }
  }

  async close(): Promise<void> {
    await closed(this.consumer);
  }
}

const closed = async (consumer: Consumer): Promise<void> => {
  await Base.prototype.close.call(consumer).catch(() => undefined);
};

const recordsOf = ({ responses }: FetchResponse): readonly FetchedRecord[] => {
  const partitions = responses.flatMap((topic) => topic.partitions);
  return partitions.flatMap(({ partitionIndex: partition, records: batches = [] }) =>
    batches.flatMap(({ firstOffset, records }) =>
      records.map(({ offsetDelta, key, value, headers }) => ({
        partition,
        offset: firstOffset + BigInt(offsetDelta),
        key: key?.toString('utf8') ?? null,
        value,
        headers: Object.fromEntries(
          headers.map(([name, text]) => [textOf(name), textOf(text)] as const),
        ),
      })),
    ),
  );
};

const textOf = (bytes: Buffer | null): string => bytes?.toString('utf8') ?? '';
