import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import {
  identifySqliteFile,
  markSqliteFile,
  type SqliteFileFormat,
} from '#platform/sqlite/file-identity.js';
import {
  newKeySetId,
  newWrappedKey,
  openText,
  sealText,
  SubjectErasedError,
  type SubjectKeys,
  type SubjectKeySet,
  unwrapKey,
} from '../subject-keys.js';

const KEYS_CACHED_MAX = 10_000;
const BUSY_TIMEOUT_MS = 5_000;

/** `QUSK` in ASCII. */
const FORMAT: SqliteFileFormat = { applicationId: 0x5155534b, version: 1 };
const SCHEMA = `
  CREATE TABLE subject_keys (
    subject TEXT PRIMARY KEY,
    wrapped_key BLOB,
    erased_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE key_set (id TEXT NOT NULL) STRICT;
  ${markSqliteFile(FORMAT)}
`;

interface KeyRow {
  readonly wrapped_key: Uint8Array | null;
}

/** The keys in a file, which is created by the first use. */
export const sqliteKeySet = (file: string): SubjectKeySet => ({
  isTaken: () => Promise.resolve(false),
  id: () =>
    promised(() => {
      const database = openKeysFile(file);
      try {
        const row = database.prepare('SELECT id FROM key_set').get() as unknown as KeySetRow;
        return row.id;
      } finally {
        database.close();
      }
    }),
  open: (wrappingKey) => promised(() => new SqliteSubjectKeys(file, wrappingKey)),
});

interface KeySetRow {
  readonly id: string;
}

/**
 * A small SQLite file beside the log. A rollback journal and `secure_delete` leave no erased key in
 * the file or beside it, which a write-ahead log would until its next checkpoint.
 */
class SqliteSubjectKeys implements SubjectKeys {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #erase: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #keys = new LRUCache<string, Buffer>({ max: KEYS_CACHED_MAX });
  #versionOfCache: unknown;

  /**
   * @param wrappingKey 32 bytes
   * @throws UnknownSqliteFileError
   */
  constructor(
    file: string,
    private readonly wrappingKey: Buffer,
  ) {
    this.#database = openKeysFile(file);
    this.#find = this.#database.prepare('SELECT wrapped_key FROM subject_keys WHERE subject = ?');
    this.#insert = this.#database.prepare(
      'INSERT INTO subject_keys (subject, wrapped_key) VALUES (?, ?) ON CONFLICT DO NOTHING',
    );
    this.#erase = this.#database.prepare(`
      INSERT INTO subject_keys (subject, erased_at) VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ'))
      ON CONFLICT DO UPDATE SET wrapped_key = NULL, erased_at = excluded.erased_at
      WHERE erased_at IS NULL
    `);
    this.#dataVersion = this.#database.prepare('PRAGMA data_version');
  }

  seal(subject: string, field: string, plaintext: string): Promise<string> {
    return promised(() => {
      const key = this.#keyOf(subject) ?? this.#create(subject);
      return sealText(key, subject, field, plaintext);
    });
  }

  open(subject: string, field: string, sealed: string): Promise<string | null> {
    return promised(() => {
      const key = this.#keyOf(subject);
      return key ? openText(key, subject, field, sealed) : null;
    });
  }

  erase(subject: string): Promise<void> {
    return promised(() => {
      this.#keys.get(subject)?.fill(0);
      this.#keys.delete(subject);
      this.#erase.run(subject);
    });
  }

  close(): void {
    for (const key of this.#keys.values()) key.fill(0);
    this.#keys.clear();
    this.#database.close();
  }

  #keyOf(subject: string): Buffer | undefined {
    this.#noticeOtherProcesses();
    const known = this.#keys.get(subject);
    if (known) return known;
    const row = this.#find.get(subject) as KeyRow | undefined;
    if (!row?.wrapped_key) return undefined;
    const key = unwrapKey(this.wrappingKey, subject, row.wrapped_key);
    this.#keys.set(subject, key);
    return key;
  }

  #create(subject: string): Buffer {
    this.#insert.run(subject, newWrappedKey(this.wrappingKey, subject));
    const key = this.#keyOf(subject);
    if (!key) throw new SubjectErasedError(subject);
    return key;
  }

  /** `data_version` changes when another connection writes: it may have erased a cached key. */
  #noticeOtherProcesses(): void {
    const version = this.#dataVersion.get()?.['data_version'];
    if (version === this.#versionOfCache) return;
    this.#keys.clear();
    this.#versionOfCache = version;
  }
}

const openKeysFile = (file: string): DatabaseSync => {
  // SQLite would create the file with the permissions that the umask leaves.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    identifySqliteFile(database, file, FORMAT);
    database.exec(`
      PRAGMA journal_mode = DELETE;
      PRAGMA synchronous = EXTRA;
      PRAGMA secure_delete = ON;
      BEGIN IMMEDIATE;
    `);
    // Checked again under the lock: another process may have created the schema.
    if (identifySqliteFile(database, file, FORMAT) === null) {
      database.exec(SCHEMA);
      database.prepare('INSERT INTO key_set (id) VALUES (?)').run(newKeySetId());
    }
    database.exec('COMMIT');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Runs synchronously on the calling thread; a throw becomes a rejection. */
const promised = <Result>(work: () => Result): Promise<Result> =>
  new Promise((resolve) => resolve(work()));
