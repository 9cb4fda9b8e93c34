import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { within } from '#platform/kernel/within.js';
import { BUS_BACK_OFF } from '../back-off.js';
import { decodeMessage, reasonOf } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import { type Listener, type ListenerOptions } from '../bus.port.js';
import { type FetchedRecord, type KafkaClient, type TopicFetcher } from './kafka-client.port.js';
import { receivedOf } from './record-codec.js';

/** Short pauses, since what is published meanwhile is waited for. */
const BACK_OFF: BackOff = { ...BUS_BACK_OFF, maxMs: 1_000 };
/** A fetch waits half a second for records; a client that is silent for longer is replaced. */
const FETCH_MS_MAX = 15_000;
/** Without an answer for this time, messages may not be delivered here. */
const QUIET_MS_MAX = 5_000;

/**
 * Reads all partitions of a topic from their ends on, as a member of no group. A failed fetcher is
 * replaced, with back-off, and the next one continues where it stopped.
 */
export class TopicListener implements Listener {
  /** The offset of the next record of each partition. */
  readonly #next = new Map<number, bigint>();
  readonly #closed = new AbortController();
  #fetcher: TopicFetcher | null = null;
  #lastAnswerAt = -Infinity;
  /** Since the last fetch that succeeded. */
  #failures = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: Pick<KafkaClient, 'bounds' | 'openFetcher'>,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
    private readonly options: ListenerOptions,
  ) {}

  /**
   * Resolves when every later message will be received.
   * @throws BusError `bus-unavailable`; it is then closed
   */
  async start(timeoutMs: number): Promise<void> {
    let failure: unknown = 'no answer';
    const opened = this.#opened((latest) => (failure = latest));
    const fetcher = await within(opened, timeoutMs, () => null);
    if (fetcher) {
      this.#failures = 0;
      this.#running = this.#run(fetcher);
      return;
    }
    this.#closed.abort();
    // An attempt that succeeds after all is not used.
    opened.then((late) => late?.close()).catch(() => undefined);
    const detail = `could not listen to ${this.options.topic}: ${reasonOf(failure)}`;
    throw new BusError('bus-unavailable', detail, { cause: failure });
  }

  /** Why it receives no messages at the moment, or null. */
  get downReason(): string | null {
    if (Date.now() - this.#lastAnswerAt <= QUIET_MS_MAX) return null;
    return `${this.options.topic} cannot be read at the moment`;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#fetcher?.close();
    await this.#running;
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  async #run(first: TopicFetcher): Promise<void> {
    let fetcher: TopicFetcher | null = first;
    while (fetcher) {
      this.#fetcher = fetcher;
      const failure = await this.#readAll(fetcher);
      await fetcher.close();
      if (this.#isClosed) return;
      if (this.#failures === 0) this.#warn(failure);
      await this.#pause();
      fetcher = await this.#opened(() => undefined);
    }
  }

  /** Once for an outage, however many attempts it takes. */
  #warn(failure: unknown): void {
    const fields = { topic: this.options.topic, reason: reasonOf(failure) };
    this.logger.warn(fields, 'a topic cannot be read');
  }

  /** Retries until it is open. @returns null once the listener is closed */
  async #opened(failed: (failure: unknown) => void): Promise<TopicFetcher | null> {
    while (!this.#isClosed) {
      try {
        return await this.#open();
      } catch (failure) {
        failed(failure);
        await this.#pause();
      }
    }
    return null;
  }

  /** After a failure. */
  async #pause(): Promise<void> {
    const { signal } = this.#closed;
    this.#failures += 1;
    const waitMs = backOffMs(BACK_OFF, this.#failures, Math.random());
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }

  async #open(): Promise<TopicFetcher> {
    const { topic } = this.options;
    const bounds = await this.client.bounds(topic);
    if (!bounds) throw new BusError('bus-unavailable', `there is no topic ${topic}`);
    const isFirst = this.#next.size === 0;
    for (const { partition, first, next } of bounds) {
      const known = this.#next.get(partition) ?? (isFirst ? next : first);
      // The topic has dropped these records, or was made again.
      const isOutside = known < first || known > next;
      this.#next.set(partition, isOutside ? first : known);
    }
    const fetcher = await this.client.openFetcher(topic);
    this.#lastAnswerAt = Date.now();
    return fetcher;
  }

  /** Reads until a fetch fails or the listener is closed. @returns why it ended */
  async #readAll(fetcher: TopicFetcher): Promise<unknown> {
    let hasEnded = false;
    const read = async (partitions: readonly number[]): Promise<void> => {
      while (!hasEnded && !this.#isClosed) {
        const offsets = new Map(partitions.map((one) => [one, this.#next.get(one) ?? 0n]));
        const records = await within(fetcher.fetch(offsets), FETCH_MS_MAX);
        this.#answered();
        for (const record of records) this.#take(record);
      }
    };
    try {
      await Promise.all(fetcher.byLeader.map(read));
      return 'closed';
    } catch (failure) {
      return failure;
    } finally {
      hasEnded = true;
    }
  }

  #answered(): void {
    this.#lastAnswerAt = Date.now();
    if (this.#failures > 0)
      this.logger.info({ topic: this.options.topic }, 'a topic is read again');
    this.#failures = 0;
  }

  #take(record: FetchedRecord): void {
    const { partition, offset } = record;
    // The fetch of a fetcher that was replaced may end later.
    if (this.#isClosed || offset < (this.#next.get(partition) ?? 0n)) return;
    this.#next.set(partition, offset + 1n);
    const received = receivedOf(this.options.topic, record);
    // A dead letter that one group receives again.
    if (received.kind === 'message' && received.group !== null) return;
    try {
      if (received.kind === 'foreign') throw new Error(received.reason);
      this.options.handle(decodeMessage(received.message));
    } catch (failure) {
      this.options.onFailed(failure);
    }
  }
}
