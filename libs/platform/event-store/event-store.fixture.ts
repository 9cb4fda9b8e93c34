import { randomUUID } from 'node:crypto';
import {
  type EventMetadata,
  type EventStore,
  type EventToAppend,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamName,
  type SubscribeOptions,
  type SubscriptionBatch,
} from './event-store.port.js';

/** A log of its own for one test, and the means to look at it as another process would. */
export interface LogUnderTest {
  readonly store: EventStore;
  /** A second handle on the same log. */
  readonly openAnother: () => Promise<EventStore>;
  /** Closes every handle and forgets the log. */
  readonly dispose: () => Promise<void>;
}

export type OpenLog = () => Promise<LogUnderTest>;

/** Runs a test on a fresh log and leaves nothing behind, whatever the test does. */
export const onFreshLog =
  (open: OpenLog, test: (store: EventStore, log: LogUnderTest) => Promise<void>) =>
  async (): Promise<void> => {
    const log = await open();
    try {
      await test(log.store, log);
    } finally {
      await log.dispose();
    }
  };

export const metadata: EventMetadata = {
  version: 1,
  correlationId: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e001',
  causationId: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e002',
  requestId: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e003',
  actor: 'user:demo',
};

export const event = (type = 'Counted', data: object = {}): EventToAppend => ({
  id: randomUUID(),
  type,
  data,
  metadata,
});

/** Events that carry their number, so that order shows. */
export const counted = (count: number, from = 0): EventToAppend[] =>
  Array.from({ length: count }, (_, index) => event('Counted', { number: from + index }));

export const numbersOf = (events: readonly RecordedEvent[]): unknown[] =>
  events.map(({ data }) => (data as { number?: number }).number);

const flat = async (pages: AsyncIterable<readonly RecordedEvent[]>): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const page of pages) events.push(...page);
  return events;
};

export const readStream = (
  store: EventStore,
  stream: StreamName,
  options?: ReadStreamOptions,
): Promise<RecordedEvent[]> => flat(store.read(stream, options));

export const readLog = (store: EventStore, options?: ReadAllOptions): Promise<RecordedEvent[]> =>
  flat(store.readAll(options));

/** Follows the log until `enough` says so; the subscription is over when this resolves. */
export const follow = async (
  store: EventStore,
  options: Omit<SubscribeOptions, 'signal'>,
  enough: (
    events: readonly RecordedEvent[],
    batch: SubscriptionBatch,
  ) => boolean | Promise<boolean>,
): Promise<{ events: RecordedEvent[]; batches: SubscriptionBatch[] }> => {
  const stop = new AbortController();
  const events: RecordedEvent[] = [];
  const batches: SubscriptionBatch[] = [];
  for await (const batch of store.subscribe({ ...options, signal: stop.signal })) {
    batches.push(batch);
    events.push(...batch.events);
    if (await enough(events, batch)) stop.abort();
  }
  return { events, batches };
};
