import { type Logger } from 'pino';
import { checkFilter } from '../event-filter.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import {
  type AppendResult,
  type EventStore,
  type EventStoreHealth,
  type EventToAppend,
  type ExpectedRevision,
  type OrderedAppend,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamName,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { wholeStream } from '../whole-stream.js';
import { type Connection } from './connection.js';
import { type EventStoreDbSubscriptions } from './eventstoredb-subscriptions.js';
import { type EventStoreDbLogReader, PAGE_EVENTS_MAX } from './eventstoredb-log-reader.js';
import { type SettlingAppender } from './settling-appender.js';
import { acquireNode, type SharedNode } from './shared-node.js';
import { type EventStoreDbTimeouts, TIMEOUTS } from './timeouts.js';

export interface EventStoreDbOptions {
  /**
   * `esdb://` and `esdb+discover://` (`@eventstore/db-client`), or `kurrentdb://` and
   * `kurrentdb+discover://` (`@kurrent/kurrentdb-client`), with the options of those packages.
   */
  readonly url: string;
  /** Of the streams of this installation on the server. Default: none. */
  readonly prefix?: string;
  readonly logger?: Logger;
  readonly timeouts?: Partial<EventStoreDbTimeouts>;
}

/**
 * The log on an EventStoreDB or KurrentDB, or on a node of our own that speaks their protocol.
 * Opening does not wait for the server; `health()` reports its state. Stores of one process with
 * the same address share one client.
 * @throws Error for an address that the package does not understand, for a second address with
 * `@eventstore/db-client`, and when the package is not installed
 */
export const openEventStoreDb = async ({
  url,
  prefix = '',
  logger,
  timeouts,
}: EventStoreDbOptions): Promise<EventStore> => {
  const all = { ...TIMEOUTS, ...timeouts };
  return new EventStoreDbEventStore(await acquireNode({ url, prefix }, all, logger));
};

class EventStoreDbEventStore implements EventStore {
  readonly isSparse = true;
  readonly #node: SharedNode;
  readonly #connection: Connection;
  readonly #reader: EventStoreDbLogReader;
  readonly #appender: SettlingAppender;
  readonly #subscriptions: EventStoreDbSubscriptions;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | null = null;

  constructor(node: SharedNode) {
    this.#node = node;
    ({
      connection: this.#connection,
      reader: this.#reader,
      appender: this.#appender,
      subscriptions: this.#subscriptions,
    } = node);
  }

  async append(
    stream: StreamName,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    this.#checkOpen();
    const append = this.#appender.append(stream, events, expected, this.#closing.signal);
    this.#underWay.add(append);
    try {
      return await append;
    } finally {
      this.#underWay.delete(append);
    }
  }

  async appendInOrder(appends: readonly OrderedAppend[]): Promise<void> {
    this.#checkOpen();
    await this.#appender.appendInOrder(appends);
  }

  read(
    stream: StreamName,
    options: ReadStreamOptions = {},
  ): AsyncGenerator<readonly RecordedEvent[]> {
    return wholeStream(stream, options, this.#pagesOf(stream, options));
  }

  async *#pagesOf(
    stream: StreamName,
    { direction = 'forwards', from, maxCount = Infinity }: ReadStreamOptions,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    let next = from ?? null;
    let left = maxCount;
    for (let more = left > 0; more;) {
      this.#checkOpen();
      const page = await this.#reader.stream(stream, direction, next, left);
      if (page.events.length > 0) yield page.events;
      left -= page.events.length;
      ({ next } = page);
      more = next !== null && left > 0;
    }
  }

  async *readAll({ after = 0n, filter, maxCount = Infinity }: ReadAllOptions = {}): AsyncGenerator<
    readonly RecordedEvent[]
  > {
    checkFilter(filter);
    let position = after;
    let left = maxCount;
    /** As it was at the start; not asked for where one page is all. */
    let head: Position | null = null;
    /** Where other programs' events are in front, few are asked for one after the other. */
    let limit = left;
    for (let more = left > 0; more;) {
      this.#checkOpen();
      const page = await this.#reader.log(position, limit, filter);
      if (!page.atHead) head ??= await this.#reader.head();
      const end = head ?? page.position;
      const own = page.events.filter((event) => event.position <= end);
      const events = own.length > left ? own.slice(0, left) : own;
      limit = events.length === 0 ? PAGE_EVENTS_MAX : left - events.length;
      if (events.length > 0) yield events;
      left -= events.length;
      ({ position } = page);
      more = !page.atHead && position < end && left > 0;
    }
  }

  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch> {
    checkFilter(options.filter);
    this.#checkOpen();
    return this.#subscriptions.subscribe(options, this.#closing.signal);
  }

  async head(): Promise<Position> {
    this.#checkOpen();
    return this.#reader.head();
  }

  async health(): Promise<EventStoreHealth> {
    if (this.#closing.signal.aborted) return { writable: false, reason: CLOSED };
    const trouble = await this.#connection.check();
    return trouble ? { writable: false, ...trouble } : { writable: true, reason: null };
  }

  close(): Promise<void> {
    this.#closed ??= this.#shut();
    return this.#closed;
  }

  async #shut(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
    await this.#node.release();
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw new StoreUnavailableError(CLOSED);
  }
}

const CLOSED = 'the event store is closed';
