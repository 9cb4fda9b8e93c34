import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { StoreUnavailableError } from '../event-store.errors.js';
import {
  type Direction,
  type EventFilter,
  type EventMetadata,
  type RecordedEvent,
  type StreamName,
} from '../event-store.port.js';

/** Events of one page: about 2 ms of the calling thread. */
export const PAGE_EVENTS_MAX = 512;

/** A page of large events ends here, so that memory is bounded too. UTF-16 units of JSON. */
const PAGE_UNITS_MAX = 4 * 1_048_576;

/** Positions that one filtered page looks at, so that a rare event does not hold the thread. */
const WINDOW_POSITIONS = 4_096;

/** Sorts behind every character that a stream name or an event type may have. */
const BEHIND_ALL = '\x7f';

const COLUMNS = `events.position, streams.name, events.revision, events.type, events.recorded_at,
  events.id, events.data, events.metadata`;

type Row = [number, string, number, string, number, string, string, string];

export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  /** The page ended because it was full: there may be more. */
  readonly cut: boolean;
}

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here is in the page or was filtered out. */
  readonly position: number;
}

/** Reads rows on a connection of its own; every call is one short snapshot. */
export class SqliteLogReader {
  readonly #database: DatabaseSync;
  readonly #head: StatementSync;
  readonly #forwards: StatementSync;
  readonly #backwards: StatementSync;
  /**
   * Readings of the whole log by their condition: preparing one costs more than a short reading.
   */
  readonly #all = new Map<string, StatementSync>();

  constructor(file: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
    this.#head = this.#rows('SELECT max(position) FROM events');
    const stream = (range: string, order: string) =>
      this.#rows(
        `SELECT ${COLUMNS} FROM streams CROSS JOIN events ON events.stream_id = streams.id
         WHERE streams.name = ? AND events.revision ${range} ?
         ORDER BY events.revision ${order} LIMIT ?`,
      );
    this.#forwards = stream('>=', 'ASC');
    this.#backwards = stream('<=', 'DESC');
  }

  /** @throws StoreUnavailableError, as every other read */
  head(): number {
    return reading(() => {
      const row: unknown = this.#head.get();
      return (row as [number | null])[0] ?? 0;
    });
  }

  stream(name: StreamName, direction: Direction, from: number, limit: number): StreamPage {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards;
    const count = Math.min(limit, PAGE_EVENTS_MAX);
    return reading(() => collect(statement, count, [name, from, count]));
  }

  /** A function that reads the log page by page. */
  all(filter: EventFilter | undefined): (after: number, upTo: number, limit: number) => LogPage {
    const { condition, parameters } = conditionOf(filter);
    const statement = this.#statementFor(condition);
    const window = filter === undefined ? PAGE_EVENTS_MAX : WINDOW_POSITIONS;
    return (after, upTo, limit) => {
      const end = Math.min(upTo, after + window);
      const count = Math.min(limit, PAGE_EVENTS_MAX);
      const { events, cut } = reading(() =>
        collect(statement, count, [after, end, ...parameters, count]),
      );
      const last = events.at(-1);
      return { events, position: cut && last ? Number(last.position) : Math.max(after, end) };
    };
  }

  close(): void {
    this.#database.close();
  }

  #statementFor(condition: string): StatementSync {
    const known = this.#all.get(condition);
    if (known) return known;
    const statement = reading(() =>
      this.#rows(
        `SELECT ${COLUMNS} FROM events CROSS JOIN streams ON streams.id = events.stream_id
         WHERE events.position > ? AND events.position <= ? ${condition}
         ORDER BY events.position LIMIT ?`,
      ),
    );
    this.#all.set(condition, statement);
    return statement;
  }

  #rows(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }
}

const reading = <Result>(read: () => Result): Result => {
  try {
    return read();
  } catch (error) {
    throw new StoreUnavailableError('the event log cannot be read', { cause: error });
  }
};

/** Reads rows until the page is full. */
const collect = (
  statement: StatementSync,
  count: number,
  parameters: readonly SQLInputValue[],
): StreamPage => {
  const events: RecordedEvent[] = [];
  let units = 0;
  let recordedAtMs = Number.NaN;
  let recordedAt = '';
  for (const row of statement.iterate(...parameters)) {
    const [position, stream, revision, type, at, id, data, metadata] = row as unknown as Row;
    // The events of one group share their instant: writing it out once is enough.
    if (at !== recordedAtMs) {
      recordedAtMs = at;
      recordedAt = new Date(at).toISOString();
    }
    events.push({
      id,
      type,
      data: JSON.parse(data) as object,
      metadata: JSON.parse(metadata) as EventMetadata,
      stream,
      revision: BigInt(revision),
      position: BigInt(position),
      recordedAt,
    });
    units += data.length + metadata.length;
    if (units >= PAGE_UNITS_MAX) return { events, cut: true };
  }
  return { events, cut: events.length === count };
};

/** Compares names as they are stored, so no JSON is looked at. */
const conditionOf = (
  filter: EventFilter | undefined,
): { condition: string; parameters: readonly string[] } => {
  if (filter === undefined) return { condition: '', parameters: [] };
  const column = filter.by === 'stream' ? 'streams.name' : 'events.type';
  const range = `(${column} >= ? AND ${column} < ?)`;
  return {
    condition: `AND (${filter.prefixes.map(() => range).join(' OR ')})`,
    parameters: filter.prefixes.flatMap((prefix) => [prefix, prefix + BEHIND_ALL]),
  };
};
