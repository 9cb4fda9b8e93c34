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
  AdmissionReply,
  AnswersReply,
  AnswersRequest,
  AnswersSettings,
} from './answers.protocol.js';

/** "QANS": tells an answer store from any other SQLite file. */
const APPLICATION_ID = 0x51414e53;
const SCHEMA_VERSION = 2;

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
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
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

/** Primary result codes of SQLite, CORRUPT and NOTADB: https://www.sqlite.org/rescode.html */
const UNREADABLE: readonly number[] = [11, 26];

/** A file that is not ours stays as it is. */
class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError';
}

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
  if (version === 1 || version === SCHEMA_VERSION) return version;
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
  if (version === 1) database.exec(FROM_VERSION_1);
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
