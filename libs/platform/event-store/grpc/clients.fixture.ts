import { type EventEmitter } from 'node:events';
import { type EventToAppend, type ExpectedRevision } from '../event-store.port.js';

export interface LogPlace {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export interface SeenEvent {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly isJson: boolean;
  readonly created: Date;
  readonly position?: LogPlace;
}

type Resolved = AsyncIterable<{ readonly event?: SeenEvent }>;

export type SubscriptionUnderTest = EventEmitter &
  Resolved & { unsubscribe(): Promise<void>; pause(): void; resume(): void };

/** The common interface of both official clients; only the names of the append options differ. */
export interface StreamsClient {
  appendToStream(
    stream: string,
    events: readonly object[],
    options: object,
  ): Promise<{ readonly nextExpectedRevision: bigint; readonly position?: LogPlace }>;
  readStream(stream: string, options?: object): Resolved;
  readAll(options?: object): Resolved;
  subscribeToAll(options?: object): SubscriptionUnderTest;
  subscribeToStream(stream: string, options?: object): SubscriptionUnderTest;
  getStreamMetadata(stream: string): Promise<{ readonly metadata?: object }>;
  setStreamMetadata(stream: string, metadata: object): Promise<unknown>;
  deleteStream(stream: string): Promise<unknown>;
  tombstoneStream(stream: string): Promise<unknown>;
  listProjections(): Promise<unknown>;
  dispose(): Promise<void>;
}

/** @param connection host, port and options of a connection string, without the scheme */
export type Connect = (connection: string) => StreamsClient;

/** A JSON event as both clients take it. */
export const proposed = ({ id, type, data, metadata }: EventToAppend): object => ({
  id,
  type,
  data,
  metadata,
  contentType: 'application/json',
});

const REVISION_NAMES = { any: 'any', 'no-stream': 'no_stream', 'stream-exists': 'stream_exists' };

export const expecting = (expected: ExpectedRevision): object => {
  const revision = typeof expected === 'bigint' ? expected : REVISION_NAMES[expected];
  return { expectedRevision: revision, streamState: revision };
};

export const append = (
  client: StreamsClient,
  stream: string,
  events: readonly EventToAppend[],
  expected: ExpectedRevision,
  options: object = {},
): ReturnType<StreamsClient['appendToStream']> =>
  client.appendToStream(stream, events.map(proposed), { ...expecting(expected), ...options });

export const collect = async (resolved: Resolved): Promise<SeenEvent[]> => {
  const events: SeenEvent[] = [];
  for await (const { event } of resolved) if (event !== undefined) events.push(event);
  return events;
};

/** Resolves with the delivered events when the subscription has caught up. */
export const untilCaughtUp = (subscription: SubscriptionUnderTest): Promise<SeenEvent[]> =>
  new Promise((resolve, reject) => {
    const events: SeenEvent[] = [];
    subscription.on('data', ({ event }: { event: SeenEvent }) => events.push(event));
    subscription.on('error', reject);
    subscription.on('caughtUp', () => {
      // This message overtakes the events in the client's buffer.
      setImmediate(() => setImmediate(() => resolve(events)));
    });
  });

/** The numbers of events made by `counted`. */
export const numbersIn = (events: readonly SeenEvent[]): unknown[] =>
  events.map(({ data }) => (data as { number?: number }).number);

export const failureOf = async (attempt: Promise<unknown>): Promise<Record<string, unknown>> => {
  try {
    await attempt;
  } catch (error) {
    return error as Record<string, unknown>;
  }
  throw new Error('it succeeded');
};

/** The expected and the actual revision of a rejected append; the clients use different names. */
export const clashIn = (
  error: Record<string, unknown>,
): { expected: unknown; actual: unknown } => ({
  expected: error['expectedVersion'] ?? error['expectedState'],
  actual: error['actualVersion'] ?? error['actualState'],
});
