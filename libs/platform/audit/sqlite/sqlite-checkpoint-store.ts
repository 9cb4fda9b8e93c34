import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  identifySqliteFile,
  markSqliteFile,
  type SqliteFileFormat,
} from '#platform/sqlite/file-identity.js';
import {
  CheckpointStore,
  CheckpointStoreError,
  demandGrowth,
  type PublishedCheckpoint,
} from '../checkpoint-store.port.js';

const BUSY_TIMEOUT_MS = 5_000;

/** `QUAC` in ASCII. */
const FORMAT: SqliteFileFormat = { applicationId: 0x51554143, version: 1 };
const SCHEMA = `
  CREATE TABLE published (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    size INTEGER NOT NULL,
    note TEXT NOT NULL
  ) STRICT;
  ${markSqliteFile(FORMAT)}
`;

/**
 * A small SQLite file beside the log. A write waits once for the disk, on the calling thread: a
 * journal that is created and deleted would wait several times, and a write-ahead log does not.
 */
export class SqliteCheckpointStore extends CheckpointStore {
  readonly #database: DatabaseSync;

  /** @throws UnknownSqliteFileError when the file belongs to another program */
  constructor(file: string) {
    super();
    this.#database = open(file);
  }

  last(): Promise<PublishedCheckpoint | undefined> {
    return promised(() => {
      const found = this.#database.prepare('SELECT size, note FROM published').get();
      return found as unknown as PublishedCheckpoint | undefined;
    });
  }

  replace(known: PublishedCheckpoint | undefined, next: PublishedCheckpoint): Promise<boolean> {
    return promised(() => {
      demandGrowth(known, next);
      const { changes } = known
        ? this.#database
            .prepare('UPDATE published SET size = ?, note = ? WHERE note = ?')
            .run(next.size, next.note, known.note)
        : this.#database
            .prepare(
              'INSERT INTO published (one, size, note) VALUES (1, ?, ?) ON CONFLICT DO NOTHING',
            )
            .run(next.size, next.note);
      return changes === 1;
    });
  }

  close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
    return Promise.resolve();
  }
}

const open = (file: string): DatabaseSync => {
  // SQLite would create the file with the permissions that the umask leaves.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    identifySqliteFile(database, file, FORMAT);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    // Checked again under the lock: another process may have created the schema.
    if (identifySqliteFile(database, file, FORMAT) === null) database.exec(SCHEMA);
    database.exec('COMMIT');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Runs on the calling thread; a failure of SQLite becomes a rejection. */
const promised = <Result>(work: () => Result): Promise<Result> =>
  new Promise((resolve, reject) => {
    try {
      resolve(work());
    } catch (error) {
      if (error instanceof RangeError) reject(error);
      else reject(new CheckpointStoreError('audit.db cannot be used', { cause: error }));
    }
  });
