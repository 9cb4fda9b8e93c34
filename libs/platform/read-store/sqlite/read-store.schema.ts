import { type DatabaseSync } from 'node:sqlite';
import {
  identifySqliteFile,
  markSqliteFile,
  type SqliteFileFormat,
  UnknownSqliteFileError,
} from '#platform/sqlite/file-identity.js';
import { ReadStoreError } from '../read-store.errors.js';

/** `QRV1` in ASCII. */
const FORMAT: SqliteFileFormat = { applicationId: 0x51525631, version: 1 };

/**
 * One table in the order of its writes, and an index of keys: new documents fill the last pages,
 * whatever their keys, and a change of a document leaves the index alone. Clustered by key, a page
 * has room for six documents, and a commit rewrites a third more pages. A table for each collection
 * measured the same. The number of a collection is never reused, so dropping a collection of a
 * million documents changes two rows. `dropped` lists the collections whose rows are not deleted
 * yet. A row with `deletedAtMs` keeps the position of a deletion.
 */
const SCHEMA = `
  CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE dropped (id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE documents (
    collection INTEGER NOT NULL,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    document TEXT,
    deletedAtMs INTEGER,
    PRIMARY KEY (collection, key)
  ) STRICT;
  CREATE INDEX deletions ON documents (deletedAtMs) WHERE deletedAtMs IS NOT NULL;
  CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    fence INTEGER,
    event TEXT
  ) WITHOUT ROWID, STRICT;
`;

/**
 * With NORMAL, SQLite calls fsync at checkpoints only. A power cut may lose the last commits, each
 * as a whole. The stored position is lost with its documents, so the subscription repeats those
 * events. The log itself is FULL. A checkpoint of the WAL costs 10 ms and runs in the housekeeper's
 * thread. Pages beyond 8 MiB are in the cache of the system, once for all connections.
 */
const CONNECTION = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -8192;
`;

/**
 * Prepares a connection and creates the tables in a new file.
 * @throws ReadStoreError `store-unreadable` for a file that is not a read store of this version
 */
export const prepareReadStore = (database: DatabaseSync, file: string): void => {
  identify(database, file);
  database.exec(CONNECTION);
  if (pragma(database, 'journal_mode') !== 'wal') {
    throw new ReadStoreError('store-unavailable', `${file} lies where SQLite cannot keep a WAL`);
  }
  database.exec('BEGIN IMMEDIATE');
  try {
    // Checked again under the lock: another process may have created the tables.
    if (identify(database, file) === null) database.exec(SCHEMA + markSqliteFile(FORMAT));
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
};

const identify = (database: DatabaseSync, file: string): number | null => {
  try {
    return identifySqliteFile(database, file, FORMAT);
  } catch (error) {
    throw error instanceof UnknownSqliteFileError ? unreadable(file, error.reason, error) : error;
  }
};

export const unreadable = (file: string, what: string, cause?: unknown): ReadStoreError =>
  new ReadStoreError(
    'store-unreadable',
    `${file} ${what}; read models can be deleted and rebuilt from the log: stop every process ` +
      `that uses it, delete it with its -wal and -shm, and start again`,
    { cause },
  );

const pragma = (database: DatabaseSync, name: string): unknown =>
  database.prepare(`PRAGMA ${name}`).get()?.[name];
