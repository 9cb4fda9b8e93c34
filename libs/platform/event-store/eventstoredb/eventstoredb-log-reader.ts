import { setTimeout as sleep } from 'node:timers/promises';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { within } from '#platform/kernel/within.js';
import { AccessDeniedError, CutStreamError, StoreUnavailableError } from '../event-store.errors.js';
import {
  type Direction,
  type EventFilter,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '../event-store.port.js';
import { isDenied, mayBeBadPlace, messageOf } from './client-errors.js';
import { type Connection } from './connection.js';
import { isOwnEvent, isSystemEvent, positionOf, recordedFrom } from './event.decoding.js';
import { type ClientPage, type LogClient, type PageToRead } from './log-client.js';

/** Events of one page; the clients end it earlier when its events are large. */
export const PAGE_EVENTS_MAX = 512;

/**
 * The pause between repeats. While the server does not answer, the next repeat waits until it does.
 */
const REPEATS: BackOff = { firstMs: 10, maxMs: 500 };

export interface ReadTimeouts {
  /** How long one page may take, in milliseconds. */
  readonly pageMs: number;
  /** How long a read waits for an unreachable server before it fails. */
  readonly outageMs: number;
}

export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  /** Where the next page begins, or null when there is none. */
  readonly next: bigint | null;
}

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here is in the page, or is not of Quipu. */
  readonly position: Position;
  /** The log went no further when this was read. */
  readonly atHead: boolean;
}

type Reading = (client: LogClient, signal: AbortSignal) => Promise<ClientPage>;

/** Reads pages, and retries a page when the server fails: callers see a pause. */
export class EventStoreDbLogReader {
  readonly #connection: Connection;
  readonly #timeouts: ReadTimeouts;

  constructor(connection: Connection, timeouts: ReadTimeouts) {
    this.#connection = connection;
    this.#timeouts = timeouts;
  }

  /** @throws StoreUnavailableError, as every other read without a `patience` of its own */
  async head(): Promise<Position> {
    const page = { direction: 'backwards', from: null, maxCount: 1 } as const;
    const { records } = await this.#read((client, signal) =>
      client.readAll(page, undefined, signal),
    );
    const [last] = records;
    return last === undefined ? 0n : positionOf(last);
  }

  async positionOf(stream: StreamName, revision: bigint): Promise<Position> {
    const page = { direction: 'forwards', from: revision, maxCount: 1 } as const;
    const { records } = await this.#read((client, signal) =>
      client.readStream(stream, page, signal),
    );
    const [found] = records;
    return found === undefined ? 0n : positionOf(found);
  }

  async stream(
    stream: StreamName,
    direction: Direction,
    from: bigint | null,
    limit: number,
  ): Promise<StreamPage> {
    const maxCount = Math.min(limit, PAGE_EVENTS_MAX);
    const { records, cut } = await this.#read((client, signal) =>
      client.readStream(stream, { direction, from, maxCount }, signal),
    );
    const isFromEnd = from === null || (direction === 'forwards' && from === 0n);
    if (records.length === 0 && isFromEnd && (await this.#isDeleted(stream))) {
      throw new CutStreamError(stream, 0n, null);
    }
    const last = records.at(-1);
    const events = records.filter((record) => !isSystemEvent(record)).map(recordedFrom);
    if (last === undefined || (!cut && records.length < maxCount)) return { events, next: null };
    const next = direction === 'forwards' ? last.revision + 1n : last.revision - 1n;
    return { events, next: next < 0n ? null : next };
  }

  /** A server answers for a deleted stream as for one that never was; its metadata remains. */
  async #isDeleted(stream: StreamName): Promise<boolean> {
    const page = { direction: 'backwards', from: null, maxCount: 1 } as const;
    const { records } = await this.#read((client, signal) =>
      client.readStream(`$$${stream}`, page, signal),
    );
    const data = records[0]?.data;
    return typeof data === 'object' && data !== null && '$tb' in data;
  }

  /**
   * @param filter the events that the server returns; the page's position is then the position of
   *   its last event
   * @param patience retries through every outage until it is aborted; by default for `outageMs`
   */
  async log(
    after: Position,
    limit: number,
    filter?: EventFilter,
    patience?: AbortSignal,
  ): Promise<LogPage> {
    const count = Math.min(limit, PAGE_EVENTS_MAX);
    const from = after === 0n ? null : after;
    // The event at the place itself comes first, and one more than wanted shows that there is more.
    const page = {
      direction: 'forwards',
      from,
      maxCount: count + (from === null ? 1 : 2),
    } as const;
    const { records, cut } = await this.#read(
      (client, signal) => readAllFrom(client, page, filter, signal),
      patience,
    );
    const beyond = records.filter((record) => positionOf(record) > after);
    const kept = beyond.slice(0, count);
    const last = kept.at(-1);
    return {
      events: kept.filter(isOwnEvent).map(recordedFrom),
      position: last === undefined ? after : positionOf(last),
      atHead: !cut && beyond.length <= count,
    };
  }

  async #read(read: Reading, patience?: AbortSignal): Promise<ClientPage> {
    try {
      return await this.#attempt(read);
    } catch (error) {
      if (error instanceof CutStreamError) throw error;
      this.#connection.failed(error);
      if (patience === undefined && isDenied(error)) {
        const message = `access to the event log is denied: ${messageOf(error)}`;
        throw new AccessDeniedError(message, { cause: error });
      }
      return this.#readAgain(read, error, patience);
    }
  }

  async #readAgain(
    read: Reading,
    first: unknown,
    patience = AbortSignal.timeout(this.#timeouts.outageMs),
  ): Promise<ClientPage> {
    let failure = first;
    for (let repeats = 0; !patience.aborted && !this.#connection.isClosed; repeats += 1) {
      if (await this.#connection.usable(patience)) {
        try {
          return await this.#attempt(read);
        } catch (error) {
          if (error instanceof CutStreamError) throw error;
          failure = error;
          this.#connection.failed(error);
        }
      }
      const pauseMs = backOffMs(REPEATS, repeats + 1);
      await sleep(pauseMs, undefined, { signal: patience }).catch(() => undefined);
    }
    throw new StoreUnavailableError(`the event log cannot be read: ${messageOf(failure)}`, {
      cause: failure,
    });
  }

  async #attempt(read: Reading): Promise<ClientPage> {
    const stop = new AbortController();
    try {
      return await within(read(this.#connection.client, stop.signal), this.#timeouts.pageMs);
    } catch (error) {
      stop.abort();
      throw error;
    }
  }
}

/**
 * A server reads only from where an event begins. A place that is none is the one before an event:
 * a reader keeps it to get that event again.
 */
const readAllFrom = async (
  client: LogClient,
  page: PageToRead,
  filter: EventFilter | undefined,
  signal: AbortSignal,
): Promise<ClientPage> => {
  try {
    return await client.readAll(page, filter, signal);
  } catch (error) {
    if (page.from === null || !mayBeBadPlace(error)) throw error;
    const next = { ...page, from: page.from + 1n };
    return client.readAll(next, filter, signal).catch(() => {
      throw error;
    });
  }
};
