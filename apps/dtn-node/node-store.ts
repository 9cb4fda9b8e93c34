import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { identifySqliteFile, markSqliteFile } from '#platform/sqlite/file-identity.js';

/** `QUDN` in ASCII. */
const FORMAT = { applicationId: 0x5155444e, version: 1 };
const SCHEMA = `
  CREATE TABLE bundles (
    key TEXT PRIMARY KEY,
    destination TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    received_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    content BLOB
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waiting ON bundles (received_ms) WHERE state = 'waiting';
  CREATE INDEX lifetimes ON bundles (expires_ms);
  CREATE TABLE history (
    key TEXT NOT NULL,
    event TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  ${markSqliteFile(FORMAT)}
`;
/** The last of the history; older ones are deleted. */
const HISTORY_MAX = 100_000;

/** A bundle that waits for a contact, or for a service of this node. */
export type KeptState = 'waiting' | 'delivered';

export interface KeptBundle {
  readonly key: string;
  readonly destination: string;
  readonly bytes: number;
  readonly expiresMs: number;
}

export interface NewBundle extends KeptBundle {
  readonly content: Uint8Array;
  readonly state: KeptState;
  readonly event: string;
  readonly detail: string;
}

export interface HistoryRow {
  readonly key: string;
  readonly event: string;
  readonly at_ms: number;
  readonly detail: string;
}

/**
 * The bundles of a node in one SQLite file. A write is on the disk when its promise resolves; writes
 * of one turn of the event loop share a transaction.
 */
export class NodeStore {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #note: StatementSync;
  #pending: (() => void)[] = [];
  #committing: Promise<void> | null = null;

  /** @throws UnknownSqliteFileError */
  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 5_000 });
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (identifySqliteFile(this.#database, file, FORMAT) === null) this.#database.exec(SCHEMA);
    this.#insert = this.#database.prepare(
      `INSERT INTO bundles (key, destination, bytes, expires_ms, received_ms, state, content)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    );
    this.#note = this.#database.prepare('INSERT INTO history VALUES (?, ?, ?, ?)');
  }

  /** The first is stored with those that follow from it, unless it is known. */
  add(bundles: readonly NewBundle[], nowMs: number): Promise<void> {
    return this.#write(() => {
      for (const [at, one] of bundles.entries()) {
        const { key, destination, bytes, expiresMs, state, content, event, detail } = one;
        const row = [key, destination, bytes, expiresMs, nowMs, state, content] as const;
        if (this.#insert.run(...row).changes === 0 && at === 0) return;
        this.#note.run(key, event, nowMs, detail);
      }
    });
  }

  has(key: string): boolean {
    return this.#database.prepare('SELECT 1 FROM bundles WHERE key = ?').get(key) !== undefined;
  }

  /** The oldest first. */
  waiting(max: number): readonly KeptBundle[] {
    const rows = this.#database
      .prepare(
        `SELECT key, destination, bytes, expires_ms AS expiresMs FROM bundles
         WHERE state = 'waiting' ORDER BY received_ms LIMIT ?`,
      )
      .all(max);
    return rows as unknown as KeptBundle[];
  }

  /** The bundles for this node that no service has answered. */
  delivered(): readonly { readonly key: string; readonly content: Uint8Array }[] {
    return this.#database
      .prepare(
        `SELECT key, content FROM bundles WHERE state = 'delivered' AND content IS NOT NULL
         ORDER BY received_ms`,
      )
      .all() as unknown as { readonly key: string; readonly content: Uint8Array }[];
  }

  content(key: string): Uint8Array | null {
    const row = this.#database.prepare('SELECT content FROM bundles WHERE key = ?').get(key) as
      { readonly content: Uint8Array | null } | undefined;
    return row?.content ?? null;
  }

  /** Its bytes are deleted; its key stays until its lifetime ends, so that a repeat is known. */
  leave(key: string, event: string, detail: string, nowMs: number): Promise<void> {
    return this.#write(() => {
      this.#database
        .prepare("UPDATE bundles SET state = 'left', content = NULL WHERE key = ?")
        .run(key);
      this.#note.run(key, event, nowMs, detail);
    });
  }

  /** Deletes the bundles whose lifetime has ended. */
  expire(nowMs: number): Promise<void> {
    return this.#write(() => {
      this.#database
        .prepare(
          `INSERT INTO history SELECT key, 'expired', ?, '' FROM bundles
           WHERE expires_ms <= ? AND state = 'waiting'`,
        )
        .run(nowMs, nowMs);
      this.#database.prepare('DELETE FROM bundles WHERE expires_ms <= ?').run(nowMs);
      this.#database
        .prepare('DELETE FROM history WHERE rowid <= (SELECT MAX(rowid) FROM history) - ?')
        .run(HISTORY_MAX);
    });
  }

  storedBytes(): number {
    const row = this.#database
      .prepare('SELECT COALESCE(SUM(bytes), 0) AS sum FROM bundles WHERE content IS NOT NULL')
      .get() as { readonly sum: number } | undefined;
    return row?.sum ?? 0;
  }

  history(): readonly HistoryRow[] {
    return this.#database
      .prepare('SELECT key, event, at_ms, detail FROM history ORDER BY rowid')
      .all() as unknown as HistoryRow[];
  }

  async close(): Promise<void> {
    await this.#committing;
    this.#database.close();
  }

  #write(change: () => void): Promise<void> {
    this.#pending.push(change);
    this.#committing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        const changes = this.#pending;
        this.#pending = [];
        this.#committing = null;
        try {
          this.#commit(changes);
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    return this.#committing;
  }

  #commit(changes: readonly (() => void)[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const change of changes) change();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
