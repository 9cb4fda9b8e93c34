import {
  type AppendResult,
  type EventStore,
  type EventStoreHealth,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamName,
  type SubscribeOptions,
  type SubscriptionBatch,
} from './event-store.port.js';
import { type LogChain } from './log-chain.port.js';
import { hasEvent, nameOfEvent } from './log-mark.js';

/** An event store that remembers the last event that this process has appended. */
export class AppendWitness implements EventStore {
  readonly chain?: LogChain;
  readonly isSparse: boolean;
  readonly onCommitted?: NonNullable<EventStore['onCommitted']>;
  #last: Pick<RecordedEvent, 'stream' | 'id' | 'revision' | 'position'> | null = null;

  /** @param onAppended called after each append of this process */
  constructor(
    private readonly eventStore: EventStore,
    private readonly onAppended: () => void = () => undefined,
  ) {
    if (eventStore.chain) this.chain = eventStore.chain;
    this.isSparse = eventStore.isSparse === true;
    if (eventStore.onCommitted) this.onCommitted = eventStore.onCommitted.bind(eventStore);
  }

  /**
   * The name of that event: whatever this process has done rests on a log that has it, in whatever
   * store.
   */
  lastEvent(): string | null {
    return this.#last && nameOfEvent(this.#last);
  }

  has(name: string): Promise<boolean> {
    return hasEvent(this.eventStore, name);
  }

  append(
    stream: StreamName,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.eventStore.append(stream, events, expected).then((result) => {
      const { revision, position } = result;
      const id = events.at(-1)?.id;
      if (id !== undefined && position > (this.#last?.position ?? 0n)) {
        this.#last = { stream, id, revision, position };
      }
      this.onAppended();
      return result;
    });
  }

  read(stream: StreamName, options?: ReadStreamOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.eventStore.read(stream, options);
  }

  readAll(options?: ReadAllOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.eventStore.readAll(options);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch> {
    return this.eventStore.subscribe(options);
  }

  head(): Promise<Position> {
    return this.eventStore.head();
  }

  health(): Promise<EventStoreHealth> {
    return this.eventStore.health();
  }

  close(): Promise<void> {
    return this.eventStore.close();
  }
}
