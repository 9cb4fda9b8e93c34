import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { checkConsumer, checkName, type EncodedMessage, encodeMessage } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import {
  type Bus,
  type BusHealth,
  type BusMessage,
  type Consumer,
  type ConsumerOptions,
  type DeadLetter,
  type Listener,
  type ListenerOptions,
} from '../bus.port.js';
import { type Kept, readDeadLetters } from './dead-letters.js';
import { GroupMember } from './group-member.js';
import { type KafkaClient, type KafkaConnection, type KafkaRecord } from './kafka-client.port.js';
import { type KafkaClientName } from './kafka-url.js';
import { type FailedMessage, deadLetterRecordOf, partitionOf, recordOf } from './record-codec.js';
import { prefixedClient } from './prefixed.client.js';
import { deadLetterTopicOf } from './topic-names.js';
import { TopicListener } from './topic-listener.js';
import { TopicWriter } from './topic-writer.js';
import { Topics, type TopicSettings } from './topics.js';

/** Settings of the bus that do not depend on the client. */
export interface KafkaBusBehaviour {
  readonly logger?: Logger;
  /** Overrides `TOPIC_DEFAULTS`; called when a topic is first used. */
  readonly topicSettings?: (topic: string) => Partial<TopicSettings>;
  /**
   * A member that crashes keeps its partitions this long, in ms: 1,000 to 300,000, default 15,000.
   * A process that blocks its event loop longer counts as crashed.
   */
  readonly sessionTimeoutMs?: number;
  /** How long the broker may be unreachable before calls reject, in ms; default 30,000. */
  readonly timeoutMs?: number;
}

export interface KafkaBusOptions extends KafkaConnection, KafkaBusBehaviour {
  readonly client: KafkaClientName;
  /** As in `readKafkaUrl`; default none. */
  readonly prefix?: string;
  /** The name of this process in the broker's log; default `quipu-<host>`. */
  readonly clientId?: string;
}

const SESSION_TIMEOUT_MS = 15_000;
const TIMEOUT_MS = 30_000;

/** Only loads the client. The first call connects and creates its topics. */
export const openKafkaBus = async (options: KafkaBusOptions): Promise<Bus> => {
  const { client: name, prefix, clientId = `quipu-${hostname()}`, ...behaviour } = options;
  const logger = options.logger ?? pino({ level: 'silent' });
  const connect = await loaderOf(name);
  const client = connect(options, clientId, logger);
  const named = prefix === undefined ? client : prefixedClient(client, prefix);
  return createKafkaBus(named, { ...behaviour, logger });
};

type Connect = (connection: KafkaConnection, clientId: string, logger: Logger) => KafkaClient;

const loaderOf = async (client: KafkaClientName): Promise<Connect> => {
  switch (client) {
    case 'kafkajs': {
      const { KafkajsClient } = await import('./kafkajs/kafkajs.client.js');
      return (...options) => new KafkajsClient(...options);
    }
    case 'platformatic': {
      const { PlatformaticClient } = await import('./platformatic/platformatic.client.js');
      return (...options) => new PlatformaticClient(...options);
    }
  }
};

/** @param client is closed with the bus */
export const createKafkaBus = (client: KafkaClient, behaviour: KafkaBusBehaviour = {}): Bus =>
  new KafkaBus(client, behaviour);

class KafkaBus implements Bus {
  readonly #logger: Logger;
  readonly #topics: Topics;
  readonly #writers = new Map<string, TopicWriter>();
  readonly #members = new Set<GroupMember>();
  readonly #listeners = new Set<TopicListener>();
  #closing: Promise<void> | null = null;
  #closed = false;

  constructor(
    private readonly client: KafkaClient,
    private readonly behaviour: KafkaBusBehaviour,
  ) {
    this.#logger = behaviour.logger ?? pino({ level: 'silent' });
    this.#topics = new Topics(client, behaviour.topicSettings ?? (() => ({})), this.#timeoutMs);
  }

  async publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    checkName('topic', topic);
    // Encoded before the first await: the sender may change its messages afterwards.
    const records = messages.map((message) => recordOf(encodeMessage(message)));
    this.#rejectWhen(this.#closed);
    await this.#write(topic, records);
  }

  async consume(options: ConsumerOptions): Promise<Consumer> {
    checkConsumer(options);
    this.#rejectWhen(this.#closing !== null);
    const { topic, group } = options;
    await this.#topics.partitions(topic);
    const member = new GroupMember({
      client: this.client,
      logger: this.#logger,
      consumer: options,
      sessionTimeoutMs: this.behaviour.sessionTimeoutMs ?? SESSION_TIMEOUT_MS,
      storeDeadLetter: (failed) => this.#storeDeadLetter(topic, group, failed),
    });
    this.#members.add(member);
    try {
      await member.join(this.#timeoutMs);
      return { close: () => this.#leave(member) };
    } catch (error) {
      this.#members.delete(member);
      throw error;
    }
  }

  async listen(options: ListenerOptions): Promise<Listener> {
    const { topic } = options;
    checkName('topic', topic);
    this.#rejectWhen(this.#closing !== null);
    await this.#topics.partitions(topic);
    const listener = new TopicListener(this.client, this.#logger, options);
    this.#listeners.add(listener);
    try {
      await listener.start(this.#timeoutMs);
    } catch (error) {
      this.#listeners.delete(listener);
      throw error;
    }
    const close = async (): Promise<void> => {
      await listener.close();
      this.#listeners.delete(listener);
    };
    return { close };
  }

  async deadLetters(topic: string, group: string): Promise<readonly DeadLetter[]> {
    const kept = await this.#kept(topic, group);
    const latest = new Map<string, DeadLetter>();
    for (const { letter } of kept) {
      // Deleted first, so that a newer dead letter under the same id moves to the end.
      latest.delete(letter.id);
      latest.set(letter.id, letter);
    }
    return [...latest.values()];
  }

  /** Published before it is removed: a crash in between repeats the message and loses nothing. */
  async retryDeadLetter(topic: string, group: string, id: string): Promise<void> {
    const kept = (await this.#kept(topic, group)).filter(({ letter }) => letter.id === id);
    const letter = kept.at(-1)?.letter;
    if (!letter) throw new BusError('unknown-dead-letter', `${id} in ${topic} for ${group}`);
    const { key, headers, data } = letter;
    const message: EncodedMessage = { key, id, headers, json: JSON.stringify(data) };
    await this.#write(topic, [recordOf(message, group)]);
    const taken = kept.map(({ recordKey }) => ({
      partition: 0,
      key: recordKey,
      value: null,
      headers: {},
    }));
    await this.#writer(deadLetterTopicOf(topic, group)).write(taken);
  }

  async health(): Promise<BusHealth> {
    if (this.#closing) return { reachable: false, reason: 'the bus is closed' };
    try {
      await this.client.brokerCount();
      const down = [...this.#members, ...this.#listeners]
        .map(({ downReason }) => downReason)
        .filter((one) => one !== null);
      return { reachable: down.length === 0, reason: down[0] ?? null };
    } catch (error) {
      return { reachable: false, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** A handler that is still running may publish its result. */
  async #close(): Promise<void> {
    await Promise.all([...this.#members, ...this.#listeners].map((one) => one.close()));
    this.#closed = true;
    this.#topics.close();
    await Promise.all([...this.#writers.values()].map((writer) => writer.drained()));
    await this.client.close();
  }

  async #leave(member: GroupMember): Promise<void> {
    await member.close();
    this.#members.delete(member);
  }

  async #write(topic: string, records: readonly Omit<KafkaRecord, 'partition'>[]): Promise<void> {
    if (records.length === 0) return;
    const partitions = await this.#topics.partitions(topic);
    const placed = records.map((record) => ({
      ...record,
      partition: partitionOf(record.key, partitions),
    }));
    await this.#writer(topic).write(placed);
  }

  async #storeDeadLetter(topic: string, group: string, failed: FailedMessage): Promise<void> {
    const name = deadLetterTopicOf(topic, group);
    await this.#topics.deadLetters(topic, name);
    await this.#writer(name).write([deadLetterRecordOf(failed)]);
  }

  async #kept(topic: string, group: string): Promise<readonly Kept[]> {
    checkName('topic', topic);
    checkName('group', group);
    this.#rejectWhen(this.#closed);
    return this.#topics.read(deadLetterTopicOf(topic, group), (name) =>
      readDeadLetters(this.client, name, { topic, group }),
    );
  }

  #writer(topic: string): TopicWriter {
    const known = this.#writers.get(topic);
    if (known) return known;
    const { client } = this;
    const logger = this.#logger;
    const added = new TopicWriter({ client, topic, logger, publishTimeoutMs: this.#timeoutMs });
    this.#writers.set(topic, added);
    return added;
  }

  get #timeoutMs(): number {
    return this.behaviour.timeoutMs ?? TIMEOUT_MS;
  }

  #rejectWhen(closed: boolean): void {
    if (closed) throw new BusError('bus-unavailable', 'the bus is closed');
  }
}
