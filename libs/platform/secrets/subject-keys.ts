import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { openBox, sealBox } from './sealed-box.js';

const KEY_BYTES = 32;
const KEYS_CACHED_MAX = 10_000;
const BUSY_TIMEOUT_MS = 5_000;

// "QUSK": tells the store of keys from any other SQLite file.
const APPLICATION_ID = 0x5155534b;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS subject_keys (
    subject TEXT PRIMARY KEY,
    wrapped_key BLOB,
    erased_at TEXT
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
`;

/** The subject's key was destroyed: nothing can be sealed for it any more. */
export class SubjectErasedError extends Error {
  override readonly name = 'SubjectErasedError';

  constructor(readonly subject: string) {
    super(`the key of ${subject} was erased`);
  }
}

/**
 * One data key for each subject (a person, mostly), wrapped by the installation's key. What is sealed
 * for a subject can be copied anywhere, the log and its backups included: destroying the key erases
 * every copy at once.
 */
export interface SubjectKeys {
  /**
   * Makes the subject's key on first use; that key is on the disk before this returns.
   * @param field what the text is, as `<event or table>.<field>`; `open` must name the same
   * @returns base64url
   * @throws SubjectErasedError
   */
  seal(subject: string, field: string, plaintext: string): string;

  /**
   * @returns null once the subject was erased
   * @throws SealBrokenError when the text was changed or sealed for another subject or field
   */
  open(subject: string, field: string, sealed: string): string | null;

  /** Destroys the key for ever, in every process; repeating it changes nothing. */
  erase(subject: string): void;

  close(): void;
}

interface KeyRow {
  readonly wrapped_key: Uint8Array | null;
}

/**
 * A small SQLite file beside the log. A rollback journal and `secure_delete` leave no erased key in
 * the file or beside it, which a write-ahead log would until its next checkpoint.
 */
export class SqliteSubjectKeys implements SubjectKeys {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #erase: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #keys = new LRUCache<string, Buffer>({ max: KEYS_CACHED_MAX });
  #versionOfCache: unknown;

  /** @param wrappingKey 32 bytes */
  constructor(
    file: string,
    private readonly wrappingKey: Buffer,
  ) {
    // SQLite would make the file as readable as the umask lets it.
    closeSync(openSync(file, 'a', 0o600));
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec(`
      PRAGMA journal_mode = DELETE;
      PRAGMA synchronous = EXTRA;
      PRAGMA secure_delete = ON;
    `);
    this.#database.exec(SCHEMA);
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

  seal(subject: string, field: string, plaintext: string): string {
    const key = this.#keyOf(subject) ?? this.#create(subject);
    const box = sealBox(key, associated(subject, field), Buffer.from(plaintext, 'utf8'));
    return box.toString('base64url');
  }

  open(subject: string, field: string, sealed: string): string | null {
    const key = this.#keyOf(subject);
    if (!key) return null;
    const box = Buffer.from(sealed, 'base64url');
    return openBox(key, associated(subject, field), box).toString('utf8');
  }

  erase(subject: string): void {
    this.#keys.get(subject)?.fill(0);
    this.#keys.delete(subject);
    this.#erase.run(subject);
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
    const key = openBox(this.wrappingKey, subject, Buffer.from(row.wrapped_key));
    this.#keys.set(subject, key);
    return key;
  }

  #create(subject: string): Buffer {
    const wrapped = sealBox(this.wrappingKey, subject, randomBytes(KEY_BYTES));
    this.#insert.run(subject, wrapped);
    const key = this.#keyOf(subject);
    if (!key) throw new SubjectErasedError(subject);
    return key;
  }

  /** `data_version` moves when another connection has written: it may have erased what is cached. */
  #noticeOtherProcesses(): void {
    const version = this.#dataVersion.get()?.['data_version'];
    if (version === this.#versionOfCache) return;
    this.#keys.clear();
    this.#versionOfCache = version;
  }
}

const associated = (subject: string, field: string): string => `${subject}\n${field}`;
