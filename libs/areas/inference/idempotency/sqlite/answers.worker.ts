/**
 * The file of the answers, in a thread of its own: SQLite's calls block, and a finished answer
 * waits for the disk.
 */
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
  type AdmissionReply,
  type AnswersReply,
  type AnswersRequest,
  type AnswersSettings,
} from './answers.protocol.js';

/** `QANS` in ASCII. */
const FORMAT: SqliteFileFormat = { applicationId: 0x51414e53, version: 2, migratable: [1] };

/** `sealed` is there for a kept answer alone. */
const SCHEMA = `
  CREATE TABLE answers (
    keyHash BLOB PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'kept', 'too-large', 'charged')),
    owner TEXT NOT NULL,
    attempt TEXT NOT NULL,
    leaseEndsAtMs INTEGER NOT NULL,
    expiresAtMs INTEGER NOT NULL,
    sealed BLOB
  ) STRICT;
  CREATE INDEX expiry ON answers (expiresAtMs);
  ${markSqliteFile(FORMAT)}
`;

/** Version 1 knew no state `charged`, and named a start by a token. */
const FROM_VERSION_1 = `
  DROP INDEX expiry;
  ALTER TABLE answers RENAME TO answers1;
  ${SCHEMA}
  INSERT INTO answers
    SELECT keyHash, fingerprint, state, owner, token, leaseEndsAtMs, expiresAtMs, sealed
      FROM answers1;
  DROP TABLE answers1;
`;

/** A slice holds the write lock for some milliseconds. */
const ROWS_PER_SLICE = 200;

const UNREADABLE: readonly (number | null)[] = [SQLITE_CODE.corrupt, SQLITE_CODE.notADatabase];

interface Entry {
  readonly fingerprint: Uint8Array;
  readonly state: 'running' | 'kept' | 'too-large' | 'charged';
  readonly owner: string;
  readonly attempt: string;
  readonly leaseEndsAtMs: number;
  readonly expiresAtMs: number;
  readonly sealed: Uint8Array | null;
}

type RequestOf<Kind extends AnswersRequest['kind']> = Extract<
  AnswersRequest,
  { readonly kind: Kind }
>;

const create = (database: DatabaseSync): void => {
  // Has to come before anything is written to the file.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  const [mode] = Object.values(database.prepare('PRAGMA journal_mode = WAL').get() ?? {});
  if (mode !== 'wal') throw new Error('no write-ahead log can be kept there');
};

const migrate = (database: DatabaseSync, file: string): void => {
  database.exec('BEGIN IMMEDIATE');
  // Another process may have done it meanwhile.
  const version = identifySqliteFile(database, file, FORMAT);
  if (version === null) database.exec(SCHEMA);
  if (version === 1) database.exec(FROM_VERSION_1);
  database.exec('COMMIT');
};

const open = ({ file, busyTimeoutMs }: AnswersSettings): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    const version = identifySqliteFile(database, file, FORMAT);
    if (version === null) create(database);
    if (version !== FORMAT.version) migrate(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const prepare = (database: DatabaseSync) => ({
  find: database.prepare(
    `SELECT fingerprint, state, owner, attempt, leaseEndsAtMs, expiresAtMs, sealed
       FROM answers WHERE keyHash = ?`,
  ),
  start: database.prepare(
    `INSERT OR REPLACE INTO answers
       (keyHash, fingerprint, state, owner, attempt, leaseEndsAtMs, expiresAtMs)
     VALUES (?, ?, 'running', ?, ?, ?, ?)`,
  ),
  finish: database.prepare(
    `UPDATE answers SET state = ?, sealed = ?, expiresAtMs = ?
      WHERE keyHash = ? AND attempt = ? AND state = 'running'`,
  ),
  abandon: database.prepare(
    `DELETE FROM answers WHERE keyHash = ? AND attempt = ? AND state = 'running'`,
  ),
  leave: database.prepare(
    `UPDATE answers SET leaseEndsAtMs = 0
      WHERE keyHash = ? AND attempt = ? AND state = 'running'`,
  ),
  charge: database.prepare(
    `UPDATE answers SET state = 'charged' WHERE keyHash = ? AND state = 'running'`,
  ),
  sweep: database.prepare(
    `DELETE FROM answers WHERE keyHash IN
       (SELECT keyHash FROM answers WHERE expiresAtMs <= ? LIMIT ${ROWS_PER_SLICE})`,
  ),
});

/** What the entry that is there makes of a request, or null where it may start. */
const standing = (
  { fingerprint, state, sealed, owner, attempt, leaseEndsAtMs, expiresAtMs }: Entry,
  request: RequestOf<'admit'>,
): AdmissionReply | null => {
  if (expiresAtMs <= request.nowMs) return null;
  if (!Buffer.from(fingerprint).equals(request.fingerprint)) return { kind: 'conflict' };
  if (state === 'too-large' || state === 'charged') return { kind: state };
  if (sealed !== null) return { kind: 'kept', sealed };
  if (request.settled?.attempt === attempt) {
    return request.settled.end === 'free' ? null : { kind: 'charged' };
  }
  return { kind: 'running', owner, attempt, leaseEndsAtMs, expiresAtMs };
};

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
  admit(request: RequestOf<'admit'>): AnswersReply {
    const { keyHash, fingerprint, owner, attempt, leaseEndsAtMs, expiresAtMs } = request;
    this.#database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    const entry = this.#statements.find.get(keyHash) as Entry | undefined;
    const reply = entry && standing(entry, request);
    if (!reply) {
      this.#statements.start.run(keyHash, fingerprint, owner, attempt, leaseEndsAtMs, expiresAtMs);
    } else if (reply.kind === 'charged') this.#statements.charge.run(keyHash);
    this.#database.exec('COMMIT');
    return reply ?? { kind: 'started' };
  }

  finish({ keyHash, attempt, sealed, expiresAtMs }: RequestOf<'finish'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = FULL');
    const state = sealed === null ? 'too-large' : 'kept';
    const { changes } = this.#statements.finish.run(state, sealed, expiresAtMs, keyHash, attempt);
    return { kind: 'changed', rows: Number(changes) };
  }

  /** A power cut that takes this away only leaves the attempt to be settled. */
  end({ kind, keyHash, attempt }: RequestOf<'abandon' | 'leave'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    const { changes } = this.#statements[kind].run(keyHash, attempt);
    return { kind: 'changed', rows: Number(changes) };
  }

  sweep({ nowMs }: RequestOf<'sweep'>): AnswersReply {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    let rows = 0;
    for (let slice = ROWS_PER_SLICE; slice === ROWS_PER_SLICE; rows += slice) {
      slice = Number(this.#statements.sweep.run(nowMs).changes);
    }
    // Gives the room back to the file system.
    if (rows > 0) this.#database.exec('PRAGMA incremental_vacuum');
    return { kind: 'changed', rows };
  }

  close(): AnswersReply {
    this.#database.close();
    return { kind: 'closed' };
  }

  answer(request: AnswersRequest): AnswersReply {
    try {
      switch (request.kind) {
        case 'admit':
          return this.admit(request);
        case 'finish':
          return this.finish(request);
        case 'abandon':
        case 'leave':
          return this.end(request);
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
