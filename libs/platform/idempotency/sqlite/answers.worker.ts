/**
 * The file of the answers, in a thread of its own: SQLite's calls block, and a finished answer
 * waits for the disk.
 *
 * This file runs compiled and, under Jest, as the TypeScript it is, so it is erasable TypeScript
 * and imports nothing of ours but types.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type {
  AnswerRow,
  AnswersReply,
  AnswersRequest,
  AnswersSettings,
} from './answers.protocol.js';

/** "QANS": tells an answer store from any other SQLite file. */
const APPLICATION_ID = 0x51414e53;
const SCHEMA_VERSION = 3;

/** `sealed` is there for a kept answer alone. */
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
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Version 1 named an attempt by a token; versions 1 and 2 did not know the first attempt. */
const fromVersion = (version: 1 | 2): string => {
  const attempt = version === 1 ? 'token' : 'attempt';
  return `
    DROP INDEX expiry;
    ALTER TABLE answers RENAME TO older;
    ${SCHEMA}
    INSERT INTO answers
      SELECT keyHash, fingerprint, state, owner, ${attempt}, ${attempt}, leaseEndsAtMs,
             expiresAtMs, sealed
        FROM older;
    DROP TABLE older;
  `;
};

/** A slice holds the write lock for some milliseconds. */
const ROWS_PER_SLICE = 200;

/** Primary result codes of SQLite, CORRUPT and NOTADB: https://www.sqlite.org/rescode.html */
const UNREADABLE: readonly number[] = [11, 26];

/** A file that is not ours stays as it is. */
class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError';
}

type RequestOf<Kind extends AnswersRequest['kind']> = Extract<
  AnswersRequest,
  { readonly kind: Kind }
>;

const scalar = (database: DatabaseSync, sql: string): SQLOutputValue | undefined =>
  Object.values(database.prepare(sql).get() ?? {})[0];

/** Reads only. @returns its version, 0 for one that is new */
const recognise = (database: DatabaseSync, file: string): number => {
  const objects = scalar(database, 'SELECT count(*) FROM sqlite_schema');
  const application = scalar(database, 'PRAGMA application_id');
  const version = scalar(database, 'PRAGMA user_version');
  if (objects === 0 && application === 0 && version === 0) return 0;
  if (application !== APPLICATION_ID) {
    throw new ForeignFileError(`${file} belongs to another program`);
  }
  if (version === 1 || version === 2 || version === SCHEMA_VERSION) return version;
  throw new ForeignFileError(
    `${file} has version ${String(version)}, this program reads ${SCHEMA_VERSION}`,
  );
};

const create = (database: DatabaseSync): void => {
  // Has to come before anything is written to the file.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  if (scalar(database, 'PRAGMA journal_mode = WAL') !== 'wal') {
    throw new Error('no write-ahead log can be kept there');
  }
};

const migrate = (database: DatabaseSync): void => {
  database.exec('BEGIN IMMEDIATE');
  // Another process may have done it meanwhile.
  const version = scalar(database, 'PRAGMA user_version');
  if (version === 0) database.exec(SCHEMA);
  if (version === 1 || version === 2) database.exec(fromVersion(version));
  database.exec('COMMIT');
};

const open = ({ file, busyTimeoutMs }: AnswersSettings): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    const version = recognise(database, file);
    if (version === 0) create(database);
    if (version < SCHEMA_VERSION) migrate(database);
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
    row.state === 'running' &&
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
   * Waits for the disk: a power cut must not take a start away and leave what the request was
   * charged in the log, or the next attempt is charged again.
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
  const { message } = error as Error;
  const code =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
      ? error.errcode & 0xff
      : 0;
  const unreadable = error instanceof ForeignFileError || UNREADABLE.includes(code);
  return { unreadable, reason: message };
};

const start = (): Answers | AnswersReply => {
  try {
    return new Answers(open(workerData as AnswersSettings));
  } catch (error) {
    return { kind: 'failed', ...described(error) };
  }
};

const port = parentPort;
if (port === null) throw new Error('the answers are kept by a worker thread');
const answers = start();
if (answers instanceof Answers) {
  port.postMessage({ kind: 'ready' } satisfies AnswersReply);
  port.on('message', (request: AnswersRequest) => {
    port.postMessage(answers.answer(request));
    if (request.kind === 'close') port.close();
  });
} else port.postMessage(answers);
