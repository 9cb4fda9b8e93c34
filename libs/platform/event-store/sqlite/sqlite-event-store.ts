import { setImmediate as nextTurn } from 'node:timers/promises';
import { allOf } from '#platform/kernel/all-of.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { checkFilter, passes } from '../event-filter.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import {
  type AppendResult,
  type CommittedEvents,
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
import { type LogChain } from '../log-chain.port.js';
import { wholeStream } from '../whole-stream.js';
import { GroupCommit } from './group-commit.js';
import { SqliteLogChain } from './sqlite-log-chain.js';
import { SqliteSubscriptions } from './sqlite-subscriptions.js';
import { SqliteLogReader } from './sqlite-log-reader.js';
import { WriterThread } from './writer.thread.js';

export interface SqliteEventStoreOptions {
  /** Created where there is none; its folder must exist. `-wal` and `-shm` files are beside it. */
  readonly file: string;
  /** Gives `recordedAt`. */
  readonly clock?: Clock;
}

const BUSY_TIMEOUT_MS = 10_000;

/**
 * The log in one SQLite file, which several processes may open at once.
 * @throws StoreUnavailableError when the file cannot be opened, or is no log of this version
 */
export const openSqliteEventStore = async ({
  file,
  clock = systemClock,
}: SqliteEventStoreOptions): Promise<EventStore> => {
  const settings = { file, busyTimeoutMs: BUSY_TIMEOUT_MS };
  const { writer, head } = await WriterThread.start(settings);
  const reader = openReader(file, writer);
  const subscriptions: SqliteSubscriptions = new SqliteSubscriptions(
    reader,
    head,
    () => commits.committing,
  );
  const commits = new GroupCommit(writer, settings, clock, (group) =>
    subscriptions.committed(group),
  );
  return new SqliteEventStore(new SqliteLogChain(settings), reader, commits, subscriptions);
};

const openReader = (file: string, writer: WriterThread): SqliteLogReader => {
  try {
    return new SqliteLogReader(file, BUSY_TIMEOUT_MS);
  } catch (error) {
    void writer.close();
    throw error;
  }
};

class SqliteEventStore implements EventStore {
  readonly chain: LogChain;
  readonly #reader: SqliteLogReader;
  readonly #commits: GroupCommit;
  readonly #subscriptions: SqliteSubscriptions;
  #closing: Promise<void> | null = null;

  constructor(
    chain: LogChain,
    reader: SqliteLogReader,
    commits: GroupCommit,
    subscriptions: SqliteSubscriptions,
  ) {
    this.chain = chain;
    this.#reader = reader;
    this.#commits = commits;
    this.#subscriptions = subscriptions;
  }

  append(
    stream: StreamName,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.#commits.append(stream, events, expected);
  }

  /** Those of one turn of the event loop are one group, and one transaction. */
  async appendInOrder(appends: readonly OrderedAppend[]): Promise<void> {
    await allOf(
      appends.map(({ stream, events, expected }) => this.append(stream, events, expected)),
    );
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
    const step = direction === 'forwards' ? 1 : -1;
    let next = from === undefined ? firstOf(direction) : Number(from);
    let left = maxCount;
    for (let more = left > 0; more;) {
      const { events, cut } = this.#reader.stream(stream, direction, next, left);
      if (events.length > 0) yield events;
      left -= events.length;
      next = Number(events.at(-1)?.revision ?? 0n) + step;
      more = cut && left > 0 && next >= 0;
      if (more) await nextTurn();
    }
  }

  async *readAll({
    after = 0n,
    filter,
    maxCount = Infinity,
    onDamaged,
  }: ReadAllOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    checkFilter(filter);
    const head = this.#reader.head();
    // An audit looks at the file.
    const recent = onDamaged ? null : this.#subscriptions.since(Number(after));
    let position = Number(after);
    let left = maxCount;
    // A shorter log was exchanged.
    if (recent !== null && recent.upTo <= head) {
      const { events } = recent;
      const passing = filter ? events.filter((event) => passes(filter, event)) : events;
      const asked = passing.slice(0, left);
      if (asked.length > 0) yield asked;
      position = recent.upTo;
      left -= asked.length;
      if (left === 0 || position >= head) return;
    }
    const readPage =
      filter && !onDamaged ? this.#reader.pagesOf(filter) : this.#reader.all(filter, onDamaged);
    while (left > 0 && position < head) {
      const page = readPage(position, head, left);
      ({ position } = page);
      left -= page.events.length;
      if (page.events.length > 0) yield page.events;
      if (position < head) await nextTurn();
    }
  }

  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch> {
    checkFilter(options.filter);
    if (this.#closing !== null) throw new StoreUnavailableError('the event store is closed');
    return this.#subscriptions.subscribe(options);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- a throw must become a rejection
  async head(): Promise<Position> {
    return BigInt(this.#subscriptions.head());
  }

  onCommitted(listener: (committed: CommittedEvents) => void): void {
    this.#subscriptions.listen(listener);
  }

  async health(): Promise<EventStoreHealth> {
    const reason = await this.#commits.trouble();
    const damaged = this.#reader.damaged();
    return { writable: reason === null, reason, ...(damaged.length > 0 && { damaged }) };
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    this.#subscriptions.close();
    await this.#commits.drain();
    // Before the writer's: the last connection to leave copies the write-ahead log home.
    this.#reader.close();
    await this.#commits.close();
  }
}

const firstOf = (direction: 'forwards' | 'backwards'): number =>
  direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER;
