/**
 * The little that the bus asks of a Kafka client. Everything that is promised beyond it (order per
 * key, commits, attempts, dead letters) is built on top and is the same for every client.
 */
export interface KafkaRecord {
  readonly partition: number;
  readonly key: string;
  /** Null takes what was written under the key away, where a topic is compacted. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record of a topic, to which other programs may have written. */
export interface FetchedRecord extends Omit<KafkaRecord, 'key'> {
  readonly key: string | null;
  readonly offset: bigint;
}

export interface TopicPlan {
  readonly topic: string;
  readonly partitions: number;
  readonly replicas: number;
  /** As Kafka names them: `retention.ms`, … */
  readonly configuration: Readonly<Record<string, string>>;
}

export interface PartitionBounds {
  readonly partition: number;
  /** Of the oldest record that is still there. */
  readonly first: bigint;
  /** Of the record that comes next. */
  readonly next: bigint;
}

export interface SubscribeOptions {
  readonly topic: string;
  /** A group without a committed offset begins with the oldest record. */
  readonly groupId: string;
  readonly sessionTimeoutMs: number;
  /** Each time the group has shared out its partitions; another member id is another life. */
  readonly onAssigned: (partitions: readonly number[], memberId: string) => void;
  /** Records of a partition come in order; after a new assignment, some may come again. */
  readonly onRecords: (records: readonly FetchedRecord[]) => void;
  /** Whenever the broker has answered; long silence means that the client is stuck. */
  readonly onAlive: () => void;
  /** The subscription is of no use any more; close it. */
  readonly onFailed: (failure: unknown) => void;
}

export interface Subscription {
  /** Fetches no more while it stays in its group; records on their way may still come. */
  pause(): void;
  resume(): void;
  /** The offset of a partition is that of the first record that is not done. */
  commit(offsets: ReadonlyMap<number, bigint>): Promise<void>;
  /** Leaves the group at once; never rejects. */
  close(): Promise<void>;
}

export interface KafkaClient {
  /**
   * Resolves when every in-sync replica has all records, written in this order and by an idempotent
   * producer, with one request under way at a time. A producer that has failed is replaced.
   * @throws KafkaFailure after which some of the records may have been written
   */
  send(topic: string, records: readonly KafkaRecord[]): Promise<void>;
  /** @returns false where the topic exists already */
  createTopic(plan: TopicPlan): Promise<boolean>;
  brokerCount(): Promise<number>;
  /** @returns null where there is no such topic */
  bounds(topic: string): Promise<readonly PartitionBounds[] | null>;
  /** Resolves when it is a member of the group and `onAssigned` was called. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** Forgets a group and its offsets; one that is not there is no failure. */
  deleteGroup(groupId: string): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

export type KafkaFailureKind =
  /** More bytes than the broker takes. */
  | 'too-large'
  /** Another try would be answered alike: wrong credentials, no permission, an invalid plan. */
  | 'refused'
  | 'unavailable';

/** What a client throws, whichever it is. */
export class KafkaFailure extends Error {
  override readonly name = 'KafkaFailure';

  constructor(
    readonly kind: KafkaFailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

/** How to reach the brokers. */
export interface KafkaConnection {
  /** `host:port` of some of them; the others are found through these. */
  readonly brokers: readonly string[];
  readonly ssl: boolean;
  readonly sasl?: {
    readonly mechanism: SaslMechanism;
    readonly username: string;
    readonly password: string;
  };
}
