/**
 * The file of the answers, on a worker thread: SQLite's calls block, and a finished answer waits
 * for the disk.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import {
  identifySqliteFile,
  markSqliteFile,
  type SqliteFileFormat,
  UnknownSqliteFileError,
} from '#platform/sqlite/file-identity.js';
import { SQLITE_CODE, sqliteCodeOf } from '#platform/sqlite/sqlite-codes.js';
import { portOfThread, requestListener } from '#platform/threads/request-listener.js';
import {
  type AnswerRow,
  type AnswersReply,
  type AnswersRequest,
  type AnswersSettings,
} from './answers.protocol.js';

/** `QANS` in ASCII. */
const FORMAT: SqliteFileFormat = { applicationId: 0x51414e53, version: 1 };

/** Only the row of a kept answer has `sealed`. */
const SCHEMA = `
  CREATE TABLE answers (
    keyHash BLOB PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'kept', 'too-large', 'charged')),
    owner TEXT NOT NULL,
    attempt TEXT NOT NULL,
    firstAttempt TEXT NOT NULL,
    leaseEndsAtMs INTEGER NOT NULL,
    expiresAtMs INTEGER NOT NULL,
    sealed BLOB
  ) STRICT;
  CREATE INDEX expiry ON answers (expiresAtMs);
  ${markSqliteFile(FORMAT)}
`;

/** A slice holds the write lock for some milliseconds. */
const ROWS_PER_SLICE = 200;

const UNREADABLE: readonly (number | null)[] = [SQLITE_CODE.corrupt, SQLITE_CODE.notADatabase];

type RequestOf<Kind extends AnswersRequest['kind']> = Extract<
  AnswersRequest,
  { readonly kind: Kind }
>;

const create = (database: DatabaseSync, file: string): void => {
  // SQLite sets this only before the first write.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  const [mode] = Object.values(database.prepare('PRAGMA journal_mode = WAL').get() ?? {});
  if (mode !== 'wal') throw new Error('no write-ahead log can be kept there');
  database.exec('BEGIN IMMEDIATE');
  // Another process may have created the schema in the meantime.
  if (identifySqliteFile(database, file, FORMAT) === null) database.exec(SCHEMA);
  database.exec('COMMIT');
};

const open = ({ file, busyTimeoutMs }: AnswersSettings): DatabaseSync => {
  // SQLite gives the files beside it, -wal and -shm, the same mode.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    if (identifySqliteFile(database, file, FORMAT) === null) create(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const UNCHANGED = 'keyHash = ? AND attempt = ? AND leaseEndsAtMs = ? AND expiresAtMs = ?';

const prepare = (database: DatabaseSync) => ({
  find: database.prepare(
    `SELECT fingerprint, state, owner, attempt, firstAttempt, leaseEndsAtMs, expiresAtMs, sealed
       FROM answers WHERE keyHash = ?`,
  ),
  start: database.prepare(
    `INSERT OR REPLACE INTO answers (keyHash, fingerprint, state, owner, attempt, firstAttempt,
                                     leaseEndsAtMs, expiresAtMs)
     VALUES (?, ?, 'running', ?, ?, ?, ?, ?)`,
  ),
  charge: database.prepare(
    `UPDATE answers SET state = 'charged' WHERE ${UNCHANGED} AND state = 'running'`,
  ),
  keep: database.prepare(
    `UPDATE answers SET state = ?, sealed = ?, expiresAtMs = ?
      WHERE keyHash = ? AND attempt = ? AND state IN ('running', 'charged')`,
  ),
  remove: database.prepare(
    `DELETE FROM answers WHERE keyHash = ? AND attempt = ? AND state = 'running'`,
  ),
  renew: database.prepare(
    `UPDATE answers SET leaseEndsAtMs = ? WHERE keyHash = ? AND attempt = ? AND state = 'running'`,
  ),
  sweep: database.prepare(
    `DELETE FROM answers WHERE keyHash IN
       (SELECT keyHash FROM answers WHERE expiresAtMs <= ? LIMIT ${ROWS_PER_SLICE})`,
  ),
});

/** Whether a request may start over the row that is there. */
const isFree = (row: AnswerRow, { instead, nowMs }: RequestOf<'start'>): boolean =>
  row.expiresAtMs <= nowMs ||
  (instead !== null &&
    row.state === instead.state &&
    row.attempt === instead.attempt &&
    row.leaseEndsAtMs === instead.leaseEndsAtMs &&
    row.expiresAtMs === instead.expiresAtMs);

const changed = (rows: number | bigint): AnswersReply => ({ kind: 'changed', rows: Number(rows) });

class Answers {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepare(database);
  }

  /**
   * Waits for the disk: if a power cut lost a start whose charge is in the log, the next attempt
   * would be charged again.
   */
  start(request: RequestOf<'start'>): AnswersReply {
    const { keyHash, fingerprint, owner, attempt, firstAttempt } = request;
    const { leaseEndsAtMs, expiresAtMs } = request;
    this.#database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    const row = this.#statements.find.get(keyHash) as AnswerRow | undefined;
    if (row && !isFree(row, request)) {
      this.#database.exec('COMMIT');
      // The driver's rows have no prototype, and are copied as they are.
      return { kind: 'found', row: { ...row } };
    }
    const { start } = this.#statements;
    start.run(keyHash, fingerprint, owner, attempt, firstAttempt, leaseEndsAtMs, expiresAtMs);
    this.#database.exec('COMMIT');
    return { kind: 'started' };
  }

  charge({ seen }: RequestOf<'charge'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = FULL');
    const { keyHash, attempt, leaseEndsAtMs, expiresAtMs } = seen;
    const { charge } = this.#statements;
    return changed(charge.run(keyHash, attempt, leaseEndsAtMs, expiresAtMs).changes);
  }

  keep({ keyHash, attempt, sealed, expiresAtMs }: RequestOf<'keep'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = FULL');
    const state = sealed === null ? 'too-large' : 'kept';
    return changed(this.#statements.keep.run(state, sealed, expiresAtMs, keyHash, attempt).changes);
  }

  /** A power cut that takes this away only leaves the attempt to be settled. */
  remove({ keyHash, attempt }: RequestOf<'remove'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    return changed(this.#statements.remove.run(keyHash, attempt).changes);
  }

  /** A power cut ends every process that a lease could belong to. */
  renew({ refs, leaseEndsAtMs }: RequestOf<'renew'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
    let rows = 0;
    for (const { keyHash, attempt } of refs) {
      rows += Number(this.#statements.renew.run(leaseEndsAtMs, keyHash, attempt).changes);
    }
    this.#database.exec('COMMIT');
    return changed(rows);
  }

  sweep({ nowMs }: RequestOf<'sweep'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    let rows = 0;
    for (let slice = ROWS_PER_SLICE; slice === ROWS_PER_SLICE; rows += slice) {
      slice = Number(this.#statements.sweep.run(nowMs).changes);
    }
    // Gives the room back to the file system.
    if (rows > 0) this.#database.exec('PRAGMA incremental_vacuum');
    return changed(rows);
  }

  close(): AnswersReply {
    this.#database.close();
    return { kind: 'closed' };
  }

  answer(request: AnswersRequest): AnswersReply {
    try {
      switch (request.kind) {
        case 'start':
          return this.start(request);
        case 'charge':
          return this.charge(request);
        case 'keep':
          return this.keep(request);
        case 'remove':
          return this.remove(request);
        case 'renew':
          return this.renew(request);
        case 'sweep':
          return this.sweep(request);
        case 'close':
          return this.close();
      }
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      return { kind: 'failed', ...described(error) };
    }
  }
}

const described = (error: unknown): { unreadable: boolean; reason: string } => {
  const unreadable =
    error instanceof UnknownSqliteFileError || UNREADABLE.includes(sqliteCodeOf(error));
  return { unreadable, reason: (error as Error).message };
};

const start = (): Answers | AnswersReply => {
  try {
    return new Answers(open(workerData as AnswersSettings));
  } catch (error) {
    return { kind: 'failed', ...described(error) };
  }
};

const port = portOfThread();
const answers = start();
if (answers instanceof Answers) {
  port.postMessage({ kind: 'ready' } satisfies AnswersReply);
  const answer = (request: AnswersRequest) => answers.answer(request);
  port.on('message', requestListener(port, answer));
} else port.postMessage(answers);
