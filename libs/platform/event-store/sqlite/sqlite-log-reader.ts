import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { afterFailure } from '#platform/sqlite/sqlite-codes.js';
import { DamagedEventError, StoreUnavailableError } from '../event-store.errors.js';
import {
  type Direction,
  type EventFilter,
  type RecordedEvent,
  type StreamName,
} from '../event-store.port.js';
import { type DamagedEvent } from '../log-chain.port.js';
import { filteredPages } from './filtered-pages.js';
import { rangesOf } from './log-filter.js';
import { ObjectUnpacker } from './object-unpacker.js';
import { ReadEvents } from './read-events.js';
import { bodyFrom, bufferOf, LIMIT, rowsOf, type StoredRow } from './stored-rows.js';
import { StreamNames } from './stream-names.js';
import { WordReader } from './word-list.js';

/** Events of one page: about 2 ms of the calling thread. */
export const PAGE_EVENTS_MAX = 512;

/** A page of large events ends about here, so that memory is bounded too. UTF-16 units of JSON. */
const PAGE_UNITS_MAX = 4 * 1_048_576;

/** Positions that one filtered page looks at, so that a rare event does not hold the thread. */
const WINDOW_POSITIONS = 4_096;

/** Damaged events that are remembered, for readiness. */
const DAMAGED_MAX = 100;

const COLUMNS = `events.position, events.stream_id, events.revision, events.type,
  events.recorded_at, events.body`;

type Row = [
  position: number,
  streamId: number,
  revision: number,
  type: number,
  recordedAtMs: number,
  body: Uint8Array,
];

export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  /** The page ended because it was full: there may be more. */
  readonly cut: boolean;
}

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here is in the page or was filtered out. */
  readonly position: number;
  /** About the UTF-16 units of data and metadata. */
  readonly units: number;
}

type ReadPage = (after: number, upTo: number, limit: number) => LogPage;

type OnDamaged = (damaged: DamagedEvent) => void;

/** Reads rows on a connection of its own; every call is one short snapshot. */
export class SqliteLogReader {
  readonly #database: DatabaseSync;
  readonly #head: StatementSync;
  readonly #forwards: StatementSync;
  readonly #backwards: StatementSync;
  /** Readings of the whole log by their SQL: preparing one costs more than a short reading. */
  readonly #all = new Map<string, StatementSync>();
  readonly #pages = new WeakMap<EventFilter, ReadPage>();
  readonly #words: WordReader;
  readonly #unpacker: ObjectUnpacker;
  readonly #names: StreamNames;
  readonly #bodyAt: (position: number) => Buffer;
  readonly #shared = new ReadEvents();
  /** About the UTF-16 units of JSON of the event that was unpacked last. */
  #unpacked = 0;
  /** By position. */
  readonly #damaged = new Map<bigint, DamagedEvent>();

  constructor(file: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
    this.#words = new WordReader(this.#database);
    this.#names = new StreamNames(this.#database);
    this.#unpacker = new ObjectUnpacker(this.#words);
    this.#bodyAt = bodyFrom(this.#database.prepare('SELECT body FROM events WHERE position = ?'));
    this.#head = this.#rows('SELECT max(position) FROM events');
    const stream = (range: string, order: string) =>
      this.#rows(
        `SELECT ${COLUMNS} FROM streams CROSS JOIN events ON events.stream_id = streams.id
         WHERE streams.name = ? AND events.revision ${range} ?
         ORDER BY events.revision ${order} ${LIMIT}`,
      );
    this.#forwards = stream('>=', 'ASC');
    this.#backwards = stream('<=', 'DESC');
  }

  /** @throws StoreUnavailableError, as every other read */
  head(): number {
    return this.#reading(() => {
      const row: unknown = this.#head.get();
      return (row as [number | null])[0] ?? 0;
    });
  }

  /** Those that a read has met. */
  damaged(): readonly DamagedEvent[] {
    return [...this.#damaged.values()];
  }

  stream(name: StreamName, direction: Direction, from: number, limit: number): StreamPage {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards;
    const count = Math.min(limit, PAGE_EVENTS_MAX);
    return this.#reading(() => {
      const rows = eachRow(statement, [name, from, count]);
      return this.#collect(rows, count, fail, null);
    });
  }

  /** As `all`, made once for a filter: callers that poll keep theirs. */
  pagesOf(filter: EventFilter): ReadPage {
    const known = this.#pages.get(filter);
    if (known) return known;
    const pages = this.all(filter);
    this.#pages.set(filter, pages);
    return pages;
  }

  /**
   * A function that reads the log page by page.
   * @param onDamaged receives damaged events; without it they fail the page
   * @param isShared whether other readers are about to read the same events
   */
  all(filter: EventFilter | undefined, onDamaged?: OnDamaged, isShared?: () => boolean): ReadPage {
    const readRows = this.#reading(() => filteredPages(this.#prepare, filter));
    const skip = this.#skipping(filter);
    const window = filter === undefined ? PAGE_EVENTS_MAX : WINDOW_POSITIONS;
    const report = onDamaged && this.#reporting(onDamaged);
    const read = (after: number, end: number, count: number): LogPage => {
      const rows = rowsOf(readRows(after, end, count), this.#bodyAt);
      const shared = isShared?.() ? this.#shared : null;
      const { events, last, cut, units } = this.#collect(rows, count, report ?? fail, shared);
      return { events, position: cut ? last : Math.max(after, end), units };
    };
    return (after, upTo, limit) => {
      const end = Math.min(upTo, after + window);
      const count = Math.min(limit, PAGE_EVENTS_MAX);
      return this.#reading(() => {
        try {
          const page = read(after, end, count);
          if (page.events.length > 0 || page.position >= upTo) return page;
          return { ...page, position: skip(page.position, upTo) };
        } catch (error) {
          if (report === undefined) throw error;
          return oneByOne(read, after, Math.min(end, after + count), report);
        }
      });
    };
  }

  close(): void {
    this.#database.close();
  }

  /** Unpacks rows until the page is full. */
  #collect(
    rows: Iterable<StoredRow>,
    count: number,
    onDamaged: OnDamaged,
    shared: ReadEvents | null,
  ): Collected {
    const events: RecordedEvent[] = [];
    let read = 0;
    let last = 0;
    let units = 0;
    const instants = new Instants();
    for (const row of rows) {
      read += 1;
      last = row.position;
      const known = shared?.at(last);
      const event = known ?? this.#recordedFrom(row, instants);
      if ('reason' in event) onDamaged(event);
      else {
        events.push(event);
        if (!known) {
          units += this.#unpacked;
          shared?.keep(last, event, this.#unpacked);
        }
      }
      if (units >= PAGE_UNITS_MAX) return { events, last, cut: true, units };
    }
    return { events, last, cut: read === count, units };
  }

  #recordedFrom(row: StoredRow, instants: Instants): RecordedEvent | DamagedEvent {
    const position = BigInt(row.position);
    const stream = this.#names.of(row.streamId);
    if (stream === undefined) return { position, stream: null, reason: 'its stream is gone' };
    try {
      const { bytes, at, end, recordedAtMs } = row;
      const { id, data, metadata, units } = this.#unpacker.unpack(
        bytes,
        at,
        end,
        stream,
        recordedAtMs,
      );
      this.#unpacked = units;
      return {
        id,
        type: this.#words.textOf(row.type),
        data,
        metadata,
        stream,
        revision: BigInt(row.revision),
        position,
        recordedAt: instants.of(recordedAtMs),
      };
    } catch (error) {
      return { position, stream, reason: `it cannot be read: ${(error as Error).message}` };
    }
  }

  /** A function that passes over what a filter by type leaves out. */
  #skipping(filter: EventFilter | undefined): (after: number, upTo: number) => number {
    if (filter?.by !== 'type') return (after) => after;
    const { ranges, parameters } = rangesOf(filter);
    const next = this.#prepare(
      `SELECT min((SELECT min(position) FROM events INDEXED BY events_by_type
                    WHERE events.type = words.id AND position > ?))
         FROM words WHERE ${ranges}`,
    );
    return (after, upTo) => {
      const row: unknown = next.get(after, ...parameters);
      const [position] = row as [number | null];
      return position === null ? upTo : Math.min(Math.max(after, position - 1), upTo);
    };
  }

  readonly #prepare = (sql: string): StatementSync => {
    const known = this.#all.get(sql);
    if (known) return known;
    const statement = this.#reading(() => this.#rows(sql));
    this.#all.set(sql, statement);
    return statement;
  };

  #reading<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DamagedEventError)) {
        throw new StoreUnavailableError('the event log cannot be read', { cause: error });
      }
      this.#remember(error.damaged);
      throw error;
    }
  }

  #reporting(onDamaged: OnDamaged): OnDamaged {
    return (damaged) => {
      this.#remember(damaged);
      onDamaged(damaged);
    };
  }

  #remember(damaged: DamagedEvent): void {
    if (this.#damaged.size < DAMAGED_MAX) this.#damaged.set(damaged.position, damaged);
  }

  #rows(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }
}

/** One row at a time, for streams: most are short, and a page costs as much as five rows. */
function* eachRow(
  statement: StatementSync,
  parameters: readonly SQLInputValue[],
): Generator<StoredRow> {
  for (const row of statement.iterate(...parameters)) {
    const [position, streamId, revision, type, recordedAtMs, body] = row as unknown as Row;
    const bytes = bufferOf(body);
    yield { position, streamId, revision, type, recordedAtMs, bytes, at: 0, end: bytes.length };
  }
}

const fail: OnDamaged = (damaged) => {
  throw new DamagedEventError(damaged);
};

/** Reads past a part of the file that SQLite cannot read. */
const oneByOne = (
  read: (after: number, end: number, count: number) => LogPage,
  after: number,
  end: number,
  onDamaged: OnDamaged,
): LogPage => {
  const events: RecordedEvent[] = [];
  let units = 0;
  for (let position = after + 1; position <= end; position += 1) {
    try {
      const page = afterFailure(() => read(position - 1, position, 1));
      events.push(...page.events);
      units += page.units;
    } catch (error) {
      const reason = `the file cannot be read there: ${(error as Error).message}`;
      onDamaged({ position: BigInt(position), stream: null, reason });
    }
  }
  return { events, position: end, units };
};

/** The events of one group share their instant: writing it out once is enough. */
class Instants {
  #ms = Number.NaN;
  #text = '';

  of(ms: number): string {
    if (ms !== this.#ms) {
      this.#text = new Date(ms).toISOString();
      this.#ms = ms;
    }
    return this.#text;
  }
}

interface Collected extends StreamPage {
  /** The position of the last row, or 0. */
  readonly last: number;
  readonly units: number;
}
