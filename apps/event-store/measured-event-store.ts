import { EventStoreError } from '#platform/event-store/event-store.errors.js';
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
} from '#platform/event-store/event-store.port.js';
import { type EventStoreMetrics } from './event-store.metrics.js';

/** Times the appends of an event store, and counts its subscriptions and what they read. */
export class MeasuredEventStore implements EventStore {
  constructor(
    private readonly eventStore: EventStore,
    private readonly metrics: EventStoreMetrics,
  ) {}

  async append(
    stream: StreamName,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const startedAt = performance.now();
    const seconds = (): number => (performance.now() - startedAt) / 1_000;
    try {
      const result = await this.eventStore.append(stream, events, expected);
      this.metrics.landed(events.length, seconds());
      return result;
    } catch (error) {
      const outcome = error instanceof EventStoreError ? error.code : 'failed';
      this.metrics.refused(outcome, seconds());
      throw error;
    }
  }

  /** Rejects bad options at the call, not at the first batch. */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch> {
    return this.#counted(this.eventStore.subscribe(options));
  }

  read(stream: StreamName, options?: ReadStreamOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.#read(this.eventStore.read(stream, options));
  }

  readAll(options?: ReadAllOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.#read(this.eventStore.readAll(options));
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

  async *#counted(
    batches: AsyncIterable<SubscriptionBatch>,
  ): AsyncGenerator<SubscriptionBatch, void> {
    this.metrics.subscriptions.inc();
    try {
      for await (const batch of batches) {
        this.metrics.read(batch.events.length);
        yield batch;
      }
    } finally {
      this.metrics.subscriptions.dec();
    }
  }

  async *#read(
    pages: AsyncIterable<readonly RecordedEvent[]>,
  ): AsyncGenerator<readonly RecordedEvent[], void> {
    for await (const page of pages) {
      this.metrics.read(page.length);
      yield page;
    }
  }
}
