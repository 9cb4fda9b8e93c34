import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type FetchedRecord,
  type KafkaClient,
  KafkaFailure,
  type KafkaRecord,
  type PartitionBounds,
  type SubscribeOptions,
  type Subscription,
  type TopicFetcher,
  type TopicPlan,
} from './kafka-client.port.js';

/** A fetch without a group answers after this time. */
const FETCH_WAIT_MS = 1;

/** The fake never waits for the session time-out of a silent member. */
interface Member {
  readonly options: SubscribeOptions;
  readonly id: string;
  partitions: readonly number[];
  /** The next offset of each partition. */
  readonly places: Map<number, number>;
  isPaused: boolean;
}

interface Topic {
  readonly plan: TopicPlan;
  readonly partitions: FetchedRecord[][];
}

/**
 * The topics and groups of a broker, in memory, for specs of faults. It delivers records as a
 * broker does: in order, and from the committed offsets after each new assignment.
 */
export class BrokerInMemory {
  readonly topics = new Map<string, Topic>();
  readonly commits = new Map<string, Map<number, bigint>>();
  readonly members = new Map<string, Set<Member>>();
  /** Called before each send; throws the errors of a client. */
  beforeSend: () => void = () => undefined;
  /** Called before each fetch without a group; throws the errors of a client. */
  beforeFetch: () => void = () => undefined;
  #memberCount = 0;

  client(): KafkaClient {
    const subscriptions = new Set<Subscription>();
    return {
      send: (topic, records) => this.#send(topic, records),
      createTopic: (plan) => Promise.resolve(this.#create(plan)),
      brokerCount: () => Promise.resolve(1),
      bounds: (topic) => Promise.resolve(this.#bounds(topic)),
      subscribe: async (options) => {
        const subscription = await this.#subscribe(options);
        subscriptions.add(subscription);
        return subscription;
      },
      openFetcher: (topic) => Promise.resolve(this.#openFetcher(topic)),
      deleteGroup: (groupId) => Promise.resolve(void this.commits.delete(groupId)),
      close: async () => {
        await Promise.all([...subscriptions].map((one) => one.close()));
      },
    };
  }

  /** Removes silent members, as a broker does: their partitions go to the others. */
  expel(groupId: string, failure: unknown): void {
    const members = [...(this.members.get(groupId) ?? [])];
    this.members.delete(groupId);
    for (const { options } of members) options.onFailed(failure);
  }

  committed(groupId: string): ReadonlyMap<number, bigint> {
    return this.commits.get(groupId) ?? new Map<number, bigint>();
  }

  async #send(topic: string, records: readonly KafkaRecord[]): Promise<void> {
    await nextTurn();
    this.beforeSend();
    const found = this.topics.get(topic);
    if (!found) throw new KafkaFailure('unavailable', `no topic ${topic}`);
    for (const record of records) {
      const partition = found.partitions[record.partition];
      if (!partition) throw new KafkaFailure('refused', `no partition ${record.partition}`);
      partition.push({ ...record, offset: BigInt(partition.length) });
    }
    for (const group of this.members.values()) for (const member of group) this.#fetch(member);
  }

  #create(plan: TopicPlan): boolean {
    if (this.topics.has(plan.topic)) return false;
    const partitions = Array.from({ length: plan.partitions }, () => []);
    this.topics.set(plan.topic, { plan, partitions });
    return true;
  }

  #bounds(topic: string): readonly PartitionBounds[] | null {
    const found = this.topics.get(topic);
    if (!found) return null;
    return found.partitions.map((records, partition) => ({
      partition,
      first: 0n,
      next: BigInt(records.length),
    }));
  }

  async #subscribe(options: SubscribeOptions): Promise<Subscription> {
    await nextTurn();
    const { groupId } = options;
    const id = `member-${(this.#memberCount += 1)}`;
    const member: Member = { options, id, partitions: [], places: new Map(), isPaused: false };
    const group = this.members.get(groupId) ?? new Set<Member>();
    this.members.set(groupId, group.add(member));
    this.#rebalance(groupId);
    return {
      pause: () => void (member.isPaused = true),
      resume: () => {
        member.isPaused = false;
        this.#fetch(member);
      },
      commit: async (offsets) => {
        await nextTurn();
        this.#commit(member, offsets);
      },
      close: async () => {
        await nextTurn();
        if (this.members.get(groupId)?.delete(member)) this.#rebalance(groupId);
      },
    };
  }

  #openFetcher(topic: string): TopicFetcher {
    let isClosed = false;
    return {
      byLeader: [...(this.topics.get(topic)?.partitions.keys() ?? [])].map((one) => [one]),
      fetch: async (offsets) => {
        await sleep(FETCH_WAIT_MS);
        if (isClosed) throw new KafkaFailure('unavailable', 'closed');
        this.beforeFetch();
        return [...offsets].flatMap(([partition, offset]) => {
          const records = this.topics.get(topic)?.partitions[partition] ?? [];
          if (offset <= records.length) return records.slice(Number(offset));
          throw new KafkaFailure('unavailable', `there is no offset ${offset}`);
        });
      },
      close: () => Promise.resolve(void (isClosed = true)),
    };
  }

  #commit({ options, partitions }: Member, offsets: ReadonlyMap<number, bigint>): void {
    const committed = this.commits.get(options.groupId) ?? new Map<number, bigint>();
    this.commits.set(options.groupId, committed);
    for (const [partition, offset] of offsets) {
      if (partitions.includes(partition)) committed.set(partition, offset);
    }
  }

  #rebalance(groupId: string): void {
    const members = [...(this.members.get(groupId) ?? [])];
    for (const [index, member] of members.entries()) {
      const count = this.topics.get(member.options.topic)?.partitions.length ?? 0;
      const all = Array.from({ length: count }, (_, partition) => partition);
      member.partitions = all.filter((partition) => partition % members.length === index);
      member.places.clear();
      member.options.onAssigned(member.partitions, member.id);
      this.#fetch(member);
    }
  }

  #fetch(member: Member): void {
    setImmediate(() => {
      const { topic, groupId, onRecords, onAlive } = member.options;
      if (this.members.get(groupId)?.has(member) !== true || member.isPaused) return;
      for (const partition of member.partitions) {
        const committed = this.committed(groupId).get(partition) ?? 0n;
        const place = member.places.get(partition) ?? Number(committed);
        const records = this.topics.get(topic)?.partitions[partition]?.slice(place) ?? [];
        member.places.set(partition, place + records.length);
        if (records.length > 0) onRecords(records);
      }
      onAlive();
    });
  }
}
