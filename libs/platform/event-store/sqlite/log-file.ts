import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  identifySqliteFile,
  markSqliteFile,
  type SqliteFileFormat,
} from '#platform/sqlite/file-identity.js';
import { SQLITE_CODE, sqliteCodeOf } from '#platform/sqlite/sqlite-codes.js';
import { type WriterSettings } from './writer.protocol.js';

/** `QUPU` in ASCII. */
const FORMAT: SqliteFileFormat = { applicationId: 0x51555055, version: 2 };
const SYNCHRONOUS_FULL = 2;

/** Leaves the file as it is, and is a write: it takes a page to the disk. */
export const REWRITE_VERSION = `PRAGMA user_version = ${FORMAT.version}`;

/**
 * Finds the next event of a type that is rare. Its entries are in the order of the log within each
 * type, so that an append writes to the ends of a few pages. A log that has none gets one.
 */
const INDEX_BY_TYPE = 'CREATE INDEX IF NOT EXISTS events_by_type ON events (type);';

const SCHEMA = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    type INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    body BLOB NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (stream_id, revision)
  ) STRICT;
  CREATE TRIGGER words_are_kept BEFORE DELETE ON words
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER words_are_fixed BEFORE UPDATE ON words
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER streams_are_kept BEFORE DELETE ON streams
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER streams_are_fixed BEFORE UPDATE ON streams
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER events_are_kept BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER events_are_fixed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  ${markSqliteFile(FORMAT)}
`;

/** Pages in the write-ahead log before a checkpoint: 8 MiB, so hot pages are copied less often. */
const CHECKPOINT_PAGES = 2_000;
/** Appends write to the ends of a few B-trees; other pages are in the cache of the system. */
const CACHE_KIB = 8_192;

const REOPEN_PAUSE_MS = 20;

/** The first column of the first row, or 0. */
export const numberOf = (statement: StatementSync, ...parameters: SQLInputValue[]): number => {
  const row = statement.get(...parameters);
  const value = row === undefined ? 0 : Object.values(row)[0];
  return typeof value === 'number' ? value : 0;
};

/** The first write: the schema, or just the version again in a file that has it. */
const claim = (database: DatabaseSync, file: string): void => {
  database.exec('BEGIN IMMEDIATE');
  const version = identifySqliteFile(database, file, FORMAT);
  database.exec(version === null ? SCHEMA : REWRITE_VERSION);
  database.exec(INDEX_BY_TYPE);
  database.exec('COMMIT');
};

const open = ({ file, busyTimeoutMs }: WriterSettings): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    // Before the first change: the file may belong to another program.
    identifySqliteFile(database, file, FORMAT);
    const [mode] = Object.values(database.prepare('PRAGMA journal_mode = WAL').get() ?? {});
    if (mode !== 'wal') {
      throw new Error(`${file} lies where SQLite cannot keep a write-ahead log`);
    }
    database.exec('PRAGMA synchronous = FULL');
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    claim(database, file);
    // Only now: before the first write SQLite may report a level that it will not keep.
    if (numberOf(database.prepare('PRAGMA synchronous')) !== SYNCHRONOUS_FULL) {
      throw new Error(`${file} does not keep synchronous = FULL`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * Opens the file of the log for writing, and creates it where there is none. SQLite does not wait
 * for a lock when it turns on the write-ahead log: of two processes that open a new file at the
 * same moment, one may find it locked and tries again until `busyTimeoutMs` has passed.
 * @throws UnknownSqliteFileError for a file that is not a log of this version
 */
export const openLogFile = (settings: WriterSettings): DatabaseSync => {
  const deadline = performance.now() + settings.busyTimeoutMs;
  for (;;) {
    try {
      return open(settings);
    } catch (error) {
      if (sqliteCodeOf(error) !== SQLITE_CODE.busy || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REOPEN_PAUSE_MS);
    }
  }
};
