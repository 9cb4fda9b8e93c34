import { type DamagedEvent, type LogChain } from './log-chain.port.js';
import { type PositionDemand } from './position-demand.js';

/**
 * The log, with the semantics of EventStoreDB, so that every adapter passes one suite
 * (`event-store.contract.ts`).
 */

/** A place in the whole log; strictly increasing, not dense. The first event is above 0n. */
export type Position = bigint;

/**
 * `<category>-<id>` in printable ASCII without spaces, at most 200 characters; the category ends at
 * the first dash. No `$` in front: those belong to EventStoreDB.
 */
export type StreamName = string;

/** The stream's last revision that the writer has seen, or a statement about its existence. */
export type ExpectedRevision = 'any' | 'no-stream' | 'stream-exists' | bigint;

/** The actor, its principal and the cause. Values never hold secrets. */
export interface EventMetadata {
  /** The schema version of `data`. */
  readonly version: number;
  /** Shared by everything one outside request set off. */
  readonly correlationId: string;
  /** The event or request that this one follows from. */
  readonly causationId: string;
  readonly requestId: string;
  /** `user:<id>`, `cli`, `saga:<name>`, … */
  readonly actor: string;
}

export interface EventToAppend {
  /** A UUID in lower case; derived from the request, so that a repeated append is recognised. */
  readonly id: string;
  /** Printable ASCII without spaces, at most 200 characters. */
  readonly type: string;
  /**
   * A JSON object. Subscribers of the same process may get this very reference: never change it
   * afterwards, and put nothing into it that JSON would drop or turn into something else.
   */
  readonly data: object;
  readonly metadata: EventMetadata;
  /**
   * When it was said: ISO 8601 UTC with milliseconds. Default: when it is appended. A copy of a log
   * keeps the instants of the first one.
   */
  readonly recordedAt?: string;
  /**
   * The object that the caller made the event of. Subscribers of the same process may get this very
   * reference, and no store keeps it.
   */
  readonly source?: object | undefined;
}

export interface RecordedEvent extends EventToAppend {
  readonly stream: StreamName;
  /** 0n for the first event of a stream. */
  readonly revision: bigint;
  readonly position: Position;
  /** Of an event of another program: when the store recorded it. */
  readonly recordedAt: string;
}

export interface AppendResult {
  /** Of the last event. */
  readonly revision: bigint;
  /** Of the last event. */
  readonly position: Position;
}

/** One of several appends that are written one after the other. */
export interface OrderedAppend {
  readonly stream: StreamName;
  readonly events: readonly EventToAppend[];
  readonly expected: ExpectedRevision;
}

export type Direction = 'forwards' | 'backwards';

export interface ReadStreamOptions {
  /** Default `forwards`. */
  readonly direction?: Direction;
  /** Inclusive; default the first event forwards, the last backwards. */
  readonly from?: bigint;
  /** Default: all. */
  readonly maxCount?: number;
}

/** An event passes when one of the prefixes fits. An empty list is rejected with a RangeError. */
export type EventFilter =
  | { readonly by: 'stream'; readonly prefixes: readonly string[] }
  | { readonly by: 'type'; readonly prefixes: readonly string[] };

export interface ReadAllOptions {
  /**
   * Exclusive; default before the first event. Of an event or a batch, or the number before it: a
   * server reads from no other place.
   */
  readonly after?: Position;
  readonly filter?: EventFilter;
  readonly maxCount?: number;
  /**
   * For an audit: receives each damaged event, and the read continues behind it. By default the
   * read fails with a DamagedEventError.
   */
  readonly onDamaged?: (damaged: DamagedEvent) => void;
}

export interface SubscribeOptions {
  /** Exclusive; default before the first event. */
  readonly after?: Position;
  readonly filter?: EventFilter;
  /**
   * For a consumer that seldom needs the position: spares it the batches that only move the
   * position while it does not wait. Default: each of them is delivered at once.
   */
  readonly positions?: PositionDemand;
  /** Aborting ends the iteration without an error. */
  readonly signal: AbortSignal;
}

/**
 * A delivery of a catch-up subscription. `events` may be empty when only the position has moved.
 */
export interface SubscriptionBatch {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here was delivered or filtered out: safe as a checkpoint after this batch. */
  readonly position: Position;
  /** True once the batch reaches the log's head as it was when the batch was read. */
  readonly caughtUp: boolean;
}

/** Events that this process has appended in one commit. */
export interface CommittedEvents {
  /** The log's last position before them; they follow without a gap. */
  readonly after: Position;
  readonly events: readonly RecordedEvent[];
  /**
   * By the monotonic clock, in milliseconds: earlier appends of other processes are at or before
   * `after`.
   */
  readonly sentAtMs: number;
}

export interface EventStore {
  /** The chain that the adapter keeps with the events; absent where it keeps none. */
  readonly chain?: LogChain;

  /**
   * Positions have gaps, as where they count bytes or other programs write the same log. Absent:
   * the first event is at position 1, and each next one at the next position.
   */
  readonly isSparse?: boolean;

  /**
   * Appends atomically; resolves when the events are durable. Repeating the same event ids at the
   * same expected revision succeeds with the first result and appends nothing. With `any` and
   * `stream-exists` that is certain only while nothing else was appended to the stream, so money
   * never rests on those.
   * Limits: 1 to 1,000 events and 1 MiB (data and metadata as UTF-8 JSON, two bytes for each
   * character of the type, and 256 bytes) per append.
   * @throws StaleRevisionError, AppendTooLargeError, InvalidAppendError, UnknownOutcomeError,
   *   StoreUnavailableError
   */
  append(
    stream: StreamName,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
  ): Promise<AppendResult>;

  /**
   * For a copy of a log: several appends at once, written in this order. After an error those up to
   * some place are written, and the caller reads which. Absent where `append` has to be awaited.
   */
  appendInOrder?(appends: readonly OrderedAppend[]): Promise<void>;

  /**
   * Pages of one stream, in the direction asked; nothing at all for a stream that is not there.
   * @throws CutStreamError where revisions are missing that were appended
   */
  read(stream: StreamName, options?: ReadStreamOptions): AsyncIterable<readonly RecordedEvent[]>;

  /** Pages of the whole log, forwards, up to the head as it was at the start. */
  readAll(options?: ReadAllOptions): AsyncIterable<readonly RecordedEvent[]>;

  /** Everything after a place, then live. Reads no faster than the consumer iterates. */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch>;

  /** The position of the last event, other processes' included; 0n for an empty log. */
  head(): Promise<Position>;

  /**
   * Calls the listener after each commit of this process, before its appends resolve. Absent where
   * the store does not tell which position a commit follows.
   */
  onCommitted?(listener: (committed: CommittedEvents) => void): void;

  /** Whether an append would be tried now, for readiness; after a failure it tries the disk. */
  health(): Promise<EventStoreHealth>;

  /**
   * Ends the subscriptions and lets the appends under way land or be rejected. Every use afterwards
   * throws StoreUnavailableError.
   */
  close(): Promise<void>;
}

export interface EventStoreHealth {
  readonly writable: boolean;
  /** The reason, or null. */
  readonly reason: string | null;
  /** Whether the reason is that the server denies access, which no retry changes. */
  readonly isDenied?: boolean;
  /** Damaged events that reads of this process have met; absent where there are none. */
  readonly damaged?: readonly DamagedEvent[];
}
