import { type DatabaseSync } from 'node:sqlite';
import {
  identifySqliteFile,
  markSqliteFile,
  type SqliteFileFormat,
  UnknownSqliteFileError,
} from '#platform/sqlite/file-identity.js';
import { ReadStoreError } from '../read-store.errors.js';

/** `QRV1` in ASCII. */
const FORMAT: SqliteFileFormat = { applicationId: 0x51525631, version: 2, migratable: [1] };

/**
 * One clustered table: a list is one walk of a B-tree, and a row's document lies beside its key. A
 * table for each collection measured the same. A collection is a number that is never used twice,
 * so that dropping one of a million documents is a change of two rows; `dropped` says whose rows
 * are still to be cleared away. A row with `deletedAtMs` remembers where a document was deleted.
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
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX deletions ON documents (deletedAtMs) WHERE deletedAtMs IS NOT NULL;
  CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    fence INTEGER
  ) WITHOUT ROWID, STRICT;
`;

/** Version 1 had no leases. */
const FROM_VERSION_1 = 'ALTER TABLE checkpoints ADD COLUMN fence INTEGER';

/**
 * NORMAL fsyncs at checkpoints only: a power cut may take the last commits away, never half of one,
 * and the checkpoint goes back with its documents, so their reader of the log repeats them. The log
 * itself is FULL. Checkpoints cost 10 ms and run in the housekeeper's thread.
 */
const CONNECTION = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -32768;
`;

/**
 * Prepares a connection, creates the tables in a new file and completes those of an older version.
 * @throws ReadStoreError `store-unreadable` for a file that is not a read store, or one of a newer version
 */
export const prepareReadStore = (database: DatabaseSync, file: string): void => {
  identify(database, file);
  database.exec(CONNECTION);
  if (pragma(database, 'journal_mode') !== 'wal') {
    throw new ReadStoreError('store-unavailable', `${file} lies where SQLite cannot keep a WAL`);
  }
  database.exec('BEGIN IMMEDIATE');
  try {
    // Again, under the lock: another process may have created or migrated the tables.
    const version = identify(database, file);
    if (version !== FORMAT.version) {
      database.exec(version === null ? SCHEMA : FROM_VERSION_1);
      database.exec(markSqliteFile(FORMAT));
    }
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
