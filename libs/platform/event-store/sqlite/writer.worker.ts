/**
 * The one writer of this process, in a thread of its own: SQLite's calls block, and a commit waits
 * for the disk.
 *
 * This file runs compiled and, under Jest, as the TypeScript it is (Jest does not transform worker
 * files; Node erases types by itself). So it is erasable TypeScript and imports types only, as the
 * `.js` files its neighbours would be imported by do not exist next to the source; that is why it
 * is longer than they are.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type * as Protocol from './writer.protocol.js';
import type { WriterReply, WriterRequest, WriterSettings } from './writer.protocol.js';

/** "QUPU": tells a log from any other SQLite file. */
const APPLICATION_ID = 0x51555055;
const SCHEMA_VERSION = 1;
const SYNCHRONOUS_FULL = 2;

const SCHEMA = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    type TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream_id, revision)
  ) STRICT;
  CREATE TRIGGER streams_are_kept BEFORE DELETE ON streams
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER streams_are_fixed BEFORE UPDATE ON streams
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER events_are_kept BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER events_are_fixed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Pages in the write-ahead log before they are copied home: 8 MiB, so hot pages go home less. */
const CHECKPOINT_PAGES = 2_000;
const CACHE_KIB = 32_000;

/** Rows that one INSERT takes at most: fewer calls into SQLite, each with 64 parameters. */
const ROWS_PER_INSERT = 8;
const COLUMNS = 8;

const REOPEN_PAUSE_MS = 20;

const HEADS_MAX = 100_000;
const FIELDS_PER_APPEND = 3;
const FIELDS_PER_EVENT = 4;

// The protocol's own values, which cannot be imported; the compiler compares them.
const EXPECTED = {
  'no-stream': -1,
  any: -2,
  'stream-exists': -3,
} satisfies typeof Protocol.EXPECTED_CODE;
const VERDICT = { appended: 0, repeated: 1, stale: 2 } satisfies typeof Protocol.VERDICT;
const NO_STREAM = EXPECTED['no-stream'];

const SQLITE_CODE = { busy: 5, readOnly: 8, full: 13, notADatabase: 26 } as const;

/** A refusal in words for the operator, as opposed to a failure of SQLite's. */
class RefusedFileError extends Error {
  override readonly name = 'RefusedFileError';
}

interface Head {
  readonly streamId: number;
  revision: number;
  /** Of the event at `revision`, or null where this thread did not write it. */
  lastId: string | null;
}

interface Group {
  readonly recordedAt: number;
  readonly fields: readonly (string | number)[];
}

/** One append of a group. */
interface Append {
  readonly stream: string;
  readonly expected: number;
  readonly count: number;
  /** Where its first event begins in the group's fields. */
  readonly at: number;
  readonly group: Group;
}

const sqliteCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : 0;

const message = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const numberOf = (statement: StatementSync, ...parameters: SQLInputValue[]): number => {
  const row = statement.get(...parameters);
  const value = row === undefined ? 0 : Object.values(row)[0];
  return typeof value === 'number' ? value : 0;
};

const pragma = (database: DatabaseSync, name: string): number =>
  numberOf(database.prepare(`PRAGMA ${name}`));

/**
 * Whether the file already is a log; false for an empty one.
 * @throws RefusedFileError for everything else
 */
const isLog = (database: DatabaseSync, file: string): boolean => {
  const objects = numberOf(database.prepare('SELECT count(*) FROM sqlite_schema'));
  const applicationId = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  if (objects === 0 && applicationId === 0) return false;
  if (applicationId !== APPLICATION_ID) {
    throw new RefusedFileError(`${file} is a database of something else, not an event log`);
  }
  if (version !== SCHEMA_VERSION) {
    throw new RefusedFileError(
      `${file} has schema version ${version}, this build knows ${SCHEMA_VERSION}`,
    );
  }
  return true;
};

/** The first write: the schema, or just the version again in a file that has it. */
const claim = (database: DatabaseSync, file: string): void => {
  database.exec('BEGIN IMMEDIATE');
  database.exec(isLog(database, file) ? `PRAGMA user_version = ${SCHEMA_VERSION}` : SCHEMA);
  database.exec('COMMIT');
};

/**
 * Turning on the write-ahead log is the one step that SQLite does not wait for: two processes that
 * open a new file at the same moment may both be told that it is locked.
 */
const openPatiently = (settings: WriterSettings): DatabaseSync => {
  const deadline = performance.now() + settings.busyTimeoutMs;
  for (;;) {
    try {
      return open(settings);
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_CODE.busy || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REOPEN_PAUSE_MS);
    }
  }
};

const open = ({ file, busyTimeoutMs }: WriterSettings): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    // Before anything is changed in a file that may be somebody else's.
    isLog(database, file);
    const [mode] = Object.values(database.prepare('PRAGMA journal_mode = WAL').get() ?? {});
    if (mode !== 'wal') throw new RefusedFileError(`${file} is where no write-ahead log can be`);
    database.exec('PRAGMA synchronous = FULL');
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    claim(database, file);
    // Only now: before the first write SQLite may report a level that it will not keep.
    if (pragma(database, 'synchronous') !== SYNCHRONOUS_FULL) {
      throw new RefusedFileError(`${file} does not keep synchronous = FULL`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** One open connection with its statements and what it knows of the streams. */
class Connection {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #head: StatementSync;
  readonly #insertOne: StatementSync;
  readonly #insertMany: StatementSync;
  readonly #insertStream: StatementSync;
  readonly #findStream: StatementSync;
  readonly #idAt: StatementSync;
  readonly #positionAt: StatementSync;
  readonly #probe: StatementSync;

  /** Stream names to where they end. Right as long as nobody else has written. */
  readonly #heads = new Map<string, Head>();
  #lastPosition = 0;
  /** Values of rows that are decided but not inserted yet. */
  #rows: SQLInputValue[] = [];

  constructor(settings: WriterSettings) {
    const database = openPatiently(settings);
    const row = `(${Array(COLUMNS).fill('?').join(', ')})`;
    const insert = (rows: number): StatementSync =>
      database.prepare(
        `INSERT INTO events (position, stream_id, revision, type, recorded_at, id, data, metadata)
         VALUES ${Array(rows).fill(row).join(', ')}`,
      );
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#head = database.prepare('SELECT max(position) FROM events');
    this.#insertOne = insert(1);
    this.#insertMany = insert(ROWS_PER_INSERT);
    this.#insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)');
    this.#findStream = database.prepare(
      `SELECT id, (SELECT max(revision) FROM events WHERE stream_id = streams.id) AS revision
       FROM streams WHERE name = ?`,
    );
    this.#idAt = database.prepare('SELECT id FROM events WHERE stream_id = ? AND revision = ?');
    this.#positionAt = database.prepare(
      'SELECT position FROM events WHERE stream_id = ? AND revision = ?',
    );
    this.#probe = database.prepare(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    this.#lastPosition = this.head();
  }

  head(): number {
    return numberOf(this.#head);
  }

  /** Everything up to the commit; a throw here has left nothing in the log. */
  stage(group: Group): { after: number; outcomes: number[] } {
    const { fields } = group;
    this.#begin.run();
    const after = this.head();
    if (after !== this.#lastPosition) this.#heads.clear();
    this.#lastPosition = after;
    const outcomes: number[] = [];
    for (let next = 0; next < fields.length;) {
      const count = fields[next + 2] as number;
      const at = next + FIELDS_PER_APPEND;
      const stream = fields[next] as string;
      this.#decide({ stream, expected: fields[next + 1] as number, count, at, group }, outcomes);
      next = at + count * FIELDS_PER_EVENT;
    }
    this.#insertRows();
    return { after, outcomes };
  }

  commit(): void {
    this.#commit.run();
  }

  /** Writes a page and commits it, which takes all that an append takes except the events. */
  probe(): void {
    this.#begin.run();
    this.#probe.run();
    this.#commit.run();
  }

  /** After a failure: what the heads say may have been rolled back. */
  rollback(): void {
    this.#rows = [];
    this.#heads.clear();
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    this.#database.close();
  }

  #decide(append: Append, outcomes: number[]): void {
    const { stream, expected, count } = append;
    const head = this.#headOf(stream);
    const current = head?.revision ?? NO_STREAM;
    const first = expected >= NO_STREAM ? expected + 1 : current + 1 - count;
    if (head !== undefined && first >= 0 && this.#isRepeat(head, first, append)) {
      const last = first + count - 1;
      outcomes.push(VERDICT.repeated, last, numberOf(this.#positionAt, head.streamId, last));
    } else if (
      expected === current ||
      expected === EXPECTED.any ||
      (expected === EXPECTED['stream-exists'] && head !== undefined)
    ) {
      const target = head ?? this.#create(stream);
      this.#add(target, append);
      outcomes.push(VERDICT.appended, target.revision, this.#lastPosition);
    } else outcomes.push(VERDICT.stale, current, 0);
  }

  /** The same ids at the same place: the append has been here before. */
  #isRepeat(head: Head, first: number, { count, at, group }: Append): boolean {
    const idOf = (index: number) => group.fields[at + index * FIELDS_PER_EVENT];
    const last = first + count - 1;
    if (last > head.revision) return false;
    if (last === head.revision && head.lastId !== null && head.lastId !== idOf(count - 1)) {
      return false;
    }
    this.#insertRows();
    for (let index = 0; index < count; index += 1) {
      const stored = this.#idAt.get(head.streamId, first + index);
      if (stored?.['id'] !== idOf(index)) return false;
    }
    return true;
  }

  #add(head: Head, { count, at, group: { recordedAt, fields } }: Append): void {
    const end = at + count * FIELDS_PER_EVENT;
    for (let event = at; event < end; event += FIELDS_PER_EVENT) {
      head.revision += 1;
      this.#lastPosition += 1;
      this.#rows.push(
        this.#lastPosition,
        head.streamId,
        head.revision,
        fields[event + 1] as string,
        recordedAt,
        fields[event] as string,
        fields[event + 2] as string,
        fields[event + 3] as string,
      );
      if (this.#rows.length === ROWS_PER_INSERT * COLUMNS) {
        this.#insertMany.run(...this.#rows);
        this.#rows = [];
      }
    }
    head.lastId = fields[end - FIELDS_PER_EVENT] as string;
  }

  #insertRows(): void {
    for (let at = 0; at < this.#rows.length; at += COLUMNS) {
      this.#insertOne.run(...this.#rows.slice(at, at + COLUMNS));
    }
    this.#rows = [];
  }

  #headOf(stream: string): Head | undefined {
    const known = this.#heads.get(stream);
    if (known !== undefined) return known;
    // Rows that still wait belong to streams that are known: the table is right about this one.
    const row = this.#findStream.get(stream);
    if (row === undefined) return undefined;
    return this.#remember(stream, {
      streamId: row['id'] as number,
      revision: row['revision'] as number,
      lastId: null,
    });
  }

  #create(stream: string): Head {
    const { lastInsertRowid } = this.#insertStream.run(stream);
    const streamId = Number(lastInsertRowid);
    return this.#remember(stream, { streamId, revision: NO_STREAM, lastId: null });
  }

  #remember(stream: string, head: Head): Head {
    if (this.#heads.size >= HEADS_MAX) {
      this.#insertRows();
      this.#heads.clear();
    }
    this.#heads.set(stream, head);
    return head;
  }
}

const settings = workerData as WriterSettings;
let connection: Connection | null = null;

/** Where writing is impossible SQLite says so before it writes the commit record. */
const nothingWasWritten = (error: unknown): boolean =>
  [SQLITE_CODE.busy, SQLITE_CODE.readOnly, SQLITE_CODE.full].includes(
    sqliteCode(error) as typeof SQLITE_CODE.full,
  );

/** Undoes what can be undone; a connection that cannot even roll back is opened anew. */
const recover = (error: unknown): void => {
  try {
    connection?.rollback();
    if (nothingWasWritten(error)) return;
    connection?.close();
  } catch {
    // The first error is the one worth telling.
  }
  connection = null;
};

const append = (group: Group): WriterReply => {
  let committing = false;
  try {
    connection ??= new Connection(settings);
    const staged = connection.stage(group);
    committing = true;
    connection.commit();
    return { kind: 'appended', ...staged };
  } catch (error) {
    recover(error);
    return {
      kind: 'failed',
      certain: !committing || nothingWasWritten(error),
      reason: message(error),
    };
  }
};

const probe = (): WriterReply => {
  try {
    connection ??= new Connection(settings);
    connection.probe();
    return { kind: 'probed', reason: null };
  } catch (error) {
    recover(error);
    return { kind: 'probed', reason: message(error) };
  }
};

const close = (): WriterReply => {
  connection?.close();
  connection = null;
  return { kind: 'closed' };
};

const start = (): WriterReply => {
  try {
    connection = new Connection(settings);
    return { kind: 'ready', head: connection.head() };
  } catch (error) {
    const foreign = sqliteCode(error) === SQLITE_CODE.notADatabase;
    return {
      kind: 'refused',
      reason: foreign ? `${settings.file} is not an event log` : message(error),
    };
  }
};

const answer = (request: WriterRequest): WriterReply => {
  switch (request.kind) {
    case 'append':
      return append(request);
    case 'probe':
      return probe();
    case 'close':
      return close();
  }
};

const port = parentPort;
if (port === null) throw new Error('the writer runs as a worker thread');
const started = start();
port.postMessage(started);
if (started.kind === 'ready') {
  port.on('message', (request: WriterRequest) => {
    port.postMessage(answer(request));
    if (request.kind === 'close') port.close();
  });
}
