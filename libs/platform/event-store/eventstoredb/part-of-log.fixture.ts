import { randomBytes } from 'node:crypto';
import { StaleRevisionError } from '../event-store.errors.js';
import {
  type AppendResult,
  type EventFilter,
  type EventStore,
  type EventStoreHealth,
  type EventToAppend,
  type ExpectedRevision,
  type OrderedAppend,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';

const NAME_LENGTH_MAX = 200;

/**
 * The part of a log that one test writes, presented as a whole log. Every stream name begins with a
 * tag of the part, and positions count from the log's head at the start of the test. So the
 * contract, which needs an empty log for every test, can run on a server with other events, while
 * no other client writes.
 */
export class PartOfLog {
  readonly #tag = `${randomBytes(6).toString('hex')}.`;
  readonly #start: Position;
  /** Names too long for the tag, by their replacement. */
  readonly #shortened = new Map<string, string>();

  private constructor(start: Position) {
    this.#start = start;
  }

  static async begin(store: EventStore): Promise<PartOfLog> {
    return new PartOfLog(await store.head());
  }

  seenThrough(store: EventStore): EventStore {
    return new StoreOfPart(store, this);
  }

  /** Invalid names stay invalid. */
  outer(stream: string): string {
    if (/^[$-]/.test(stream) || stream.length > NAME_LENGTH_MAX) return stream;
    if (stream.length + this.#tag.length <= NAME_LENGTH_MAX) return this.#tag + stream;
    const shortened = this.#tag + stream.slice(0, NAME_LENGTH_MAX - this.#tag.length);
    this.#shortened.set(shortened, stream);
    return shortened;
  }

  isInside({ stream }: RecordedEvent): boolean {
    return stream.startsWith(this.#tag);
  }

  inner(event: RecordedEvent): RecordedEvent {
    const { stream, position } = event;
    return { ...event, stream: this.innerName(stream), position: this.innerPosition(position) };
  }

  innerName(stream: string): string {
    return this.#shortened.get(stream) ?? stream.slice(this.#tag.length);
  }

  innerPosition(position: Position): Position {
    return position - this.#start;
  }

  outerPosition(position: Position): Position {
    return position + this.#start;
  }

  outerFilter(filter: EventFilter): EventFilter {
    if (filter.by === 'type') return filter;
    return { by: 'stream', prefixes: filter.prefixes.map((prefix) => this.#tag + prefix) };
  }
}

class StoreOfPart implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly part: PartOfLog,
  ) {}

  async append(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    try {
      const { revision, position } = await this.store.append(
        this.part.outer(stream),
        events,
        expected,
      );
      return { revision, position: this.part.innerPosition(position) };
    } catch (error) {
      throw this.#inside(error);
    }
  }

  async appendInOrder(appends: readonly OrderedAppend[]): Promise<void> {
    const outer = appends.map((one) => ({ ...one, stream: this.part.outer(one.stream) }));
    try {
      await this.store.appendInOrder?.(outer);
    } catch (error) {
      throw this.#inside(error);
    }
  }

  async *read(
    stream: string,
    options?: ReadStreamOptions,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of this.store.read(this.part.outer(stream), options)) {
      yield page.map((event) => this.part.inner(event));
    }
  }

  async *readAll(options?: ReadAllOptions): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of this.store.readAll({ ...options, ...this.#place(options) })) {
      yield this.#own(page);
    }
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    for await (const batch of this.store.subscribe({ ...options, ...this.#place(options) })) {
      const position = this.part.innerPosition(batch.position);
      yield { ...batch, events: this.#own(batch.events), position };
    }
  }

  async head(): Promise<Position> {
    return this.part.innerPosition(await this.store.head());
  }

  health(): Promise<EventStoreHealth> {
    return this.store.health();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** The error as the part names its streams. */
  #inside(error: unknown): unknown {
    if (!(error instanceof StaleRevisionError)) return error;
    return new StaleRevisionError(this.part.innerName(error.stream), error.expected, error.actual);
  }

  #place({ after = 0n, filter }: ReadAllOptions = {}): ReadAllOptions {
    const place = { after: this.part.outerPosition(after) };
    return filter === undefined ? place : { ...place, filter: this.part.outerFilter(filter) };
  }

  #own(events: readonly RecordedEvent[]): RecordedEvent[] {
    return events
      .filter((event) => this.part.isInside(event))
      .map((event) => this.part.inner(event));
  }
}
