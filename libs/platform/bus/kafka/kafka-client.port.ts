/**
 * The part of a Kafka client that the bus uses. Order per key, commits, attempts and dead letters
 * are built on top and are the same for every client.
 */
export interface KafkaRecord {
  readonly partition: number;
  readonly key: string;
  /** Null deletes the records of the key in a compacted topic. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record of a topic. Other programs may write to the topic. */
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
  /** The offset of the oldest record. */
  readonly first: bigint;
  /** The offset of the next record. */
  readonly next: bigint;
}

export interface SubscribeOptions {
  readonly topic: string;
  /** A group without a committed offset begins with the oldest record. */
  readonly groupId: string;
  readonly sessionTimeoutMs: number;
  /** Called after each assignment of partitions; another member id means another membership. */
  readonly onAssigned: (partitions: readonly number[], memberId: string) => void;
  /** Records of a partition come in order; after a new assignment, some may come again. */
  readonly onRecords: (records: readonly FetchedRecord[]) => void;
  /** Called after each answer of the broker; a long silence means that the client is stuck. */
  readonly onAlive: () => void;
  /** The subscription has failed; close it. */
  readonly onFailed: (failure: unknown) => void;
}

export interface Subscription {
  /** Stops fetching and stays in its group; records of a running fetch may still arrive. */
  pause(): void;
  resume(): void;
  /** The offset of a partition is the offset of its first unfinished record. */
  commit(offsets: ReadonlyMap<number, bigint>): Promise<void>;
  /** Leaves the group at once; never rejects. */
  close(): Promise<void>;
}

/** Reads a topic from given offsets, without a group. It lives until its first failure. */
export interface TopicFetcher {
  /** The partitions by the broker that leads them. */
  readonly byLeader: readonly (readonly number[])[];
  /**
   * Waits up to half a second for records. Markers of transactions are records, too.
   * @param offsets of the next record of each partition; all have one leader, and no two fetches
   *   from one leader run at once
   * @throws KafkaFailure
   */
  fetch(offsets: ReadonlyMap<number, bigint>): Promise<readonly FetchedRecord[]>;
  /** Never rejects; ends what is under way. */
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
  /** Resolves when it knows the leaders of the topic. @throws KafkaFailure */
  openFetcher(topic: string): Promise<TopicFetcher>;
  /** Deletes a group and its offsets; an unknown group is no error. */
  deleteGroup(groupId: string): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

export type KafkaFailureKind =
  /** More bytes than the broker accepts. */
  | 'too-large'
  /** A retry cannot succeed: wrong credentials, no permission, an invalid plan. */
  | 'refused'
  | 'unavailable';

/** The error of every client. */
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
  /** `host:port` of some brokers; the client discovers the others. */
  readonly brokers: readonly string[];
  readonly ssl: boolean;
  readonly sasl?: {
    readonly mechanism: SaslMechanism;
    readonly username: string;
    readonly password: string;
  };
}
