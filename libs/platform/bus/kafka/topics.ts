import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '#platform/kernel/back-off.js';
import { BUS_BACK_OFF } from '../back-off.js';
import { reasonOf } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import { type KafkaClient, KafkaFailure } from './kafka-client.port.js';

export interface TopicSettings {
  /** The most members of a group that work at the same time; default 12. */
  readonly partitions: number;
  /** Copies of each partition; default one for each broker, up to 3. */
  readonly replicas: number | 'by-brokers';
  /** How long messages are kept, consumed or not; default 7 days. */
  readonly retentionMs: number;
  /** How long dead letters are kept; default 30 days. */
  readonly deadLetterRetentionMs: number;
}

const DAY_MS = 86_400_000;

export const TOPIC_DEFAULTS: TopicSettings = {
  partitions: 12,
  replicas: 'by-brokers',
  retentionMs: 7 * DAY_MS,
  deadLetterRetentionMs: 30 * DAY_MS,
};

const REPLICAS_MAX = 3;
const SEGMENT_MS_MAX = DAY_MS;

/** Makes topics as they are first named, with nothing left to a broker's defaults. */
export class Topics {
  readonly #partitions = new Map<string, Promise<number>>();
  readonly #closed = new AbortController();

  /**
   * @param settingsOf what differs from the defaults, by topic
   * @param timeoutMs how long the brokers may be away
   */
  constructor(
    private readonly client: KafkaClient,
    private readonly settingsOf: (topic: string) => Partial<TopicSettings>,
    private readonly timeoutMs: number,
  ) {}

  /** @returns how many partitions it has, which an operator may have decided */
  partitions(topic: string): Promise<number> {
    return this.#ensured(topic, () => this.#ensure(topic));
  }

  /** Keeps a dead letter until it is taken off, or too old. */
  deadLetters(topic: string, name: string): Promise<number> {
    return this.#ensured(name, async () => {
      const { replicas, deadLetterRetentionMs } = this.#settings(topic);
      await this.#create(name, 1, replicas, 'compact,delete', deadLetterRetentionMs);
      return 1;
    });
  }

  /** @throws BusError `bus-unavailable` when it cannot be read */
  read<Result>(name: string, work: (name: string) => Promise<Result>): Promise<Result> {
    return this.#available(name, () => work(name));
  }

  /** Ends all retries. */
  close(): void {
    this.#closed.abort();
  }

  async #ensure(topic: string): Promise<number> {
    const { partitions, replicas, retentionMs } = this.#settings(topic);
    const created = await this.#create(topic, partitions, replicas, 'delete', retentionMs);
    if (created) return partitions;
    const bounds = await this.client.bounds(topic);
    // Brokers take a moment to tell each other, and longer where one has just come back.
    if (!bounds) throw new KafkaFailure('unavailable', 'created, and not known to all brokers yet');
    return bounds.length;
  }

  async #create(
    topic: string,
    partitions: number,
    copies: TopicSettings['replicas'],
    cleanup: 'delete' | 'compact,delete',
    retentionMs: number,
  ): Promise<boolean> {
    const replicas =
      copies === 'by-brokers' ? Math.min(await this.client.brokerCount(), REPLICAS_MAX) : copies;
    return this.client.createTopic({
      topic,
      partitions,
      replicas,
      configuration: {
        'cleanup.policy': cleanup,
        'retention.ms': `${retentionMs}`,
        // A broker deletes whole segments, and none that is still written to.
        'segment.ms': `${Math.min(retentionMs, SEGMENT_MS_MAX)}`,
        // With three copies one broker may be lost, and a single copy accepts no write.
        'min.insync.replicas': `${replicas > 2 ? 2 : 1}`,
      },
    });
  }

  #ensured(name: string, ensure: () => Promise<number>): Promise<number> {
    const known = this.#partitions.get(name);
    if (known) return known;
    const ensuring = this.#available(name, ensure);
    this.#partitions.set(name, ensuring);
    // The next call tries again.
    ensuring.catch(() => this.#partitions.delete(name));
    return ensuring;
  }

  #settings(topic: string): TopicSettings {
    return { ...TOPIC_DEFAULTS, ...this.settingsOf(topic) };
  }

  /** Retries until it succeeds or is rejected, until the deadline, or until all is closed. */
  async #available<Result>(topic: string, work: () => Promise<Result>): Promise<Result> {
    const { signal } = this.#closed;
    const deadline = Date.now() + this.timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (cause) {
        const waitMs = backOffMs(BUS_BACK_OFF, attempt, Math.random());
        const isFinal = cause instanceof KafkaFailure && cause.kind === 'refused';
        if (isFinal || signal.aborted || Date.now() + waitMs > deadline) {
          throw new BusError('bus-unavailable', `${topic}: ${reasonOf(cause)}`, { cause });
        }
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
