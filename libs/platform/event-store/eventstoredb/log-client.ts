import { type EncodedAppend } from '../append.encoding.js';
import {
  type Direction,
  type EventFilter,
  type ExpectedRevision,
  type StreamName,
} from '../event-store.port.js';

/**
 * The part of a client package that this adapter needs: one file for each package implements it. It
 * does not retry, and only appends have a time-out. Its callers handle time-outs, unknown outcomes
 * and resubscription.
 */
export interface LogClient {
  /**
   * @throws an EventStoreError where the server rejected it, so that nothing was appended; anything
   *   else, TimedOutError among it, leaves the outcome unknown
   */
  append(request: AppendRequest): Promise<ClientAppendResult>;

  /**
   * Over one call, so that the server takes them in this order.
   * @throws the first error, as `append`
   */
  appendInOrder(requests: readonly AppendRequest[]): Promise<void>;

  /**
   * One page of a stream; an empty one where there is no such stream.
   * @throws CutStreamError for one that was deleted for ever
   */
  readStream(stream: StreamName, page: PageToRead, signal: AbortSignal): Promise<ClientPage>;

  /** One page of the whole log; forwards, a position given is inclusive. The server filters. */
  readAll(
    page: PageToRead,
    filter: EventFilter | undefined,
    signal: AbortSignal,
  ): Promise<ClientPage>;

  /** Everything after a place, 0n for all, as fast as it comes; returns what ends it. */
  subscribe(after: bigint, listener: ClientListener): () => void;

  /** Ends every call and closes the connection. */
  dispose(): Promise<void>;
}

export interface AppendRequest {
  readonly stream: StreamName;
  readonly encoded: EncodedAppend;
  readonly expected: ExpectedRevision;
  /** So long, in milliseconds, server and caller wait for the outcome. */
  readonly deadlineMs: number;
}

export interface PageToRead {
  readonly direction: Direction;
  /** Null: the start forwards, and the end backwards. */
  readonly from: bigint | null;
  readonly maxCount: number;
}

export interface ClientPage {
  readonly records: readonly ClientRecord[];
  /** Its events were so large that it ended before its count. */
  readonly cut: boolean;
}

export interface ClientAppendResult {
  /** Of the last event. */
  readonly revision: bigint;
  /** Of the last event; null where the server does not say. */
  readonly position: bigint | null;
}

export interface ClientListener {
  readonly onEvent: (record: ClientRecord) => void;
  /** Once: the subscription is over; null for an end without an error. */
  readonly onEnd: (error: Error | null) => void;
}

/** An event as it came over the wire. */
export interface ClientRecord {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  /** Parsed where `isJson`, or the text if it is none after all; else bytes. */
  readonly data: unknown;
  /** Parsed where it is JSON, else its text; undefined where there is none. */
  readonly metadata?: unknown;
  readonly isJson: boolean;
  readonly created: Date;
  readonly position?: { readonly commit: bigint } | undefined;
}

/** A page that is larger ends early, so that memory is bounded. UTF-16 units of text. */
export const PAGE_UNITS_MAX = 4 * 1_048_576;

/** A cheap lower bound of an event's size in memory: its texts, and a bit for everything else. */
export const unitsOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return UNITS_OF_A_SCALAR;
  if (value instanceof Uint8Array) return value.length;
  let units = UNITS_OF_A_SCALAR;
  for (const part of Object.values(value)) units += unitsOf(part);
  return units;
};

const UNITS_OF_A_SCALAR = 8;
