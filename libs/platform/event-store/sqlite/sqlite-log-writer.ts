import { type DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { CHAIN_START, EventHasher, HASH_BYTES } from '../event.chain.js';
import { EventPacker } from './event-packer.js';
import { numberOf, openLogFile, REWRITE_VERSION } from './log-file.js';
import { UUID_BYTES } from './packed.format.js';
import { EXPECTED_CODE, VERDICT, type WriterSettings } from './writer.protocol.js';
import { WordWriter } from './word-list.js';

/** Rows that one INSERT takes at most: fewer calls into SQLite, each with 56 parameters. */
const ROWS_PER_INSERT = 8;
const COLUMNS = 7;

const HEADS_MAX = 100_000;
const FIELDS_PER_APPEND = 3;
const FIELDS_PER_EVENT = 5;
const NO_STREAM = EXPECTED_CODE['no-stream'];

interface Head {
  readonly streamId: number;
  revision: number;
  /** Of the event at `revision`, or null where this thread did not write it. */
  lastId: string | null;
}

/** The fields are laid out as in the protocol's `append`. */
export interface AppendGroup {
  readonly fields: readonly (string | number)[];
}

/** As the protocol's `appended`. */
export interface StagedGroup {
  readonly after: number;
  readonly outcomes: readonly number[];
  readonly leaves: Uint8Array;
}

/** One append of a group. */
interface Append {
  readonly stream: string;
  readonly expected: number;
  readonly count: number;
  /** Index of its first event in the fields of the group. */
  readonly at: number;
  readonly group: AppendGroup;
}

/** The connection that writes, with its statements and the heads of the streams it knows. */
export class SqliteLogWriter {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #last: StatementSync;
  readonly #insertOne: StatementSync;
  readonly #insertMany: StatementSync;
  readonly #insertStream: StatementSync;
  readonly #findStream: StatementSync;
  readonly #idAt: StatementSync;
  readonly #positionAt: StatementSync;
  readonly #probe: StatementSync;

  /** Stream names to their heads. Valid until another process writes. */
  readonly #heads = new Map<string, Head>();
  #lastPosition = 0;
  readonly #words: WordWriter;
  readonly #packer: EventPacker;
  readonly #hasher = new EventHasher();
  /** The chain hash of the event at `#lastPosition`. */
  #lastHash: Uint8Array = CHAIN_START;
  /** Values of rows that are decided and not inserted yet. */
  #rows: SQLInputValue[] = [];
  /** Leaf hashes of the appended events of the group. */
  #leaves: Buffer[] = [];

  constructor(settings: WriterSettings) {
    const database = openLogFile(settings);
    const row = `(${Array(COLUMNS).fill('?').join(', ')})`;
    const insert = (rows: number): StatementSync =>
      database.prepare(
        // Without OR ROLLBACK each call would keep a journal of its own, in a file.
        `INSERT OR ROLLBACK INTO events
           (position, stream_id, revision, type, recorded_at, body, hash)
         VALUES ${Array(rows).fill(row).join(', ')}`,
      );
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#last = database.prepare(
      'SELECT position, hash FROM events ORDER BY position DESC LIMIT 1',
    );
    this.#insertOne = insert(1);
    this.#insertMany = insert(ROWS_PER_INSERT);
    this.#insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)');
    this.#findStream = database.prepare(
      `SELECT id, (SELECT max(revision) FROM events WHERE stream_id = streams.id) AS revision
       FROM streams WHERE name = ?`,
    );
    this.#idAt = database.prepare(
      `SELECT substr(body, 1, ${UUID_BYTES}) AS id FROM events
       WHERE stream_id = ? AND revision = ?`,
    );
    this.#positionAt = database.prepare(
      'SELECT position FROM events WHERE stream_id = ? AND revision = ?',
    );
    this.#probe = database.prepare(REWRITE_VERSION);
    this.#lastPosition = this.head();
    this.#words = new WordWriter(database);
    this.#packer = new EventPacker(this.#words);
  }

  head(): number {
    return numberOf(this.#last);
  }

  /** Everything before the commit: an error here leaves nothing in the log. */
  stage(group: AppendGroup): StagedGroup {
    const { fields } = group;
    this.#begin.run();
    const last = this.#last.get();
    const after = Number(last?.['position'] ?? 0);
    if (after !== this.#lastPosition) {
      this.#heads.clear();
      this.#words.read();
    }
    this.#lastPosition = after;
    this.#lastHash = hashOf(last?.['hash']);
    const outcomes: number[] = [];
    this.#leaves = [];
    for (let next = 0; next < fields.length;) {
      const count = fields[next + 2] as number;
      const at = next + FIELDS_PER_APPEND;
      const stream = fields[next] as string;
      this.#decide({ stream, expected: fields[next + 1] as number, count, at, group }, outcomes);
      next = at + count * FIELDS_PER_EVENT;
    }
    this.#insertRows();
    return { after, outcomes, leaves: joined(this.#leaves) };
  }

  commit(): void {
    this.#commit.run();
  }

  /** Writes a page and commits it, which takes all that an append takes except the events. */
  probe(): void {
    this.#begin.run();
    this.#probe.run();
    this.#commit.run();
  }

  /** After a failure. The heads may describe appends that were rolled back. */
  rollback(): void {
    this.#rows = [];
    this.#heads.clear();
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#packer.forgetShapes();
    this.#words.forget();
    this.#words.read();
  }

  close(): void {
    this.#database.close();
  }

  #decide(append: Append, outcomes: number[]): void {
    const { stream, expected, count } = append;
    const head = this.#headOf(stream);
    const current = head?.revision ?? NO_STREAM;
    const first = expected >= NO_STREAM ? expected + 1 : current + 1 - count;
    if (head !== undefined && first >= 0 && this.#isRepeat(head, first, append)) {
      const last = first + count - 1;
      outcomes.push(VERDICT.repeated, last, numberOf(this.#positionAt, head.streamId, last));
    } else if (
      expected === current ||
      expected === EXPECTED_CODE.any ||
      (expected === EXPECTED_CODE['stream-exists'] && head !== undefined)
    ) {
      const target = head ?? this.#create(stream);
      this.#add(target, append);
      outcomes.push(VERDICT.appended, target.revision, this.#lastPosition);
    } else outcomes.push(VERDICT.stale, current, 0);
  }

  /** Whether the same ids are stored at the same revisions. */
  #isRepeat(head: Head, first: number, { count, at, group }: Append): boolean {
    const idOf = (index: number) => group.fields[at + index * FIELDS_PER_EVENT];
    const last = first + count - 1;
    if (last > head.revision) return false;
    if (last === head.revision && head.lastId !== null && head.lastId !== idOf(count - 1)) {
      return false;
    }
    this.#insertRows();
    for (let index = 0; index < count; index += 1) {
      const stored = this.#idAt.get(head.streamId, first + index);
      if (!isUuid(stored?.['id'], idOf(index))) return false;
    }
    return true;
  }

  #add(head: Head, { stream, count, at, group: { fields } }: Append): void {
    const end = at + count * FIELDS_PER_EVENT;
    for (let event = at; event < end; event += FIELDS_PER_EVENT) {
      head.revision += 1;
      this.#lastPosition += 1;
      const stored = {
        revision: head.revision,
        stream,
        id: fields[event] as string,
        type: fields[event + 1] as string,
        data: fields[event + 2] as string,
        metadata: fields[event + 3] as string,
        recordedAtMs: fields[event + 4] as number,
      };
      const leaf = this.#hasher.leafHash(stored);
      this.#leaves.push(leaf);
      this.#lastHash = this.#hasher.link(this.#lastHash, leaf);
      this.#rows.push(
        this.#lastPosition,
        head.streamId,
        stored.revision,
        this.#words.demand(stored.type),
        stored.recordedAtMs,
        this.#packer.pack(stored),
        this.#lastHash,
      );
      if (this.#rows.length === ROWS_PER_INSERT * COLUMNS) {
        this.#insertMany.run(...this.#rows);
        this.#rows = [];
      }
    }
    head.lastId = fields[end - FIELDS_PER_EVENT] as string;
  }

  #insertRows(): void {
    for (let at = 0; at < this.#rows.length; at += COLUMNS) {
      this.#insertOne.run(...this.#rows.slice(at, at + COLUMNS));
    }
    this.#rows = [];
  }

  #headOf(stream: string): Head | undefined {
    const known = this.#heads.get(stream);
    if (known !== undefined) return known;
    // Rows that still wait belong to streams that are known: the table is right about this one.
    const row = this.#findStream.get(stream);
    if (row === undefined) return undefined;
    return this.#remember(stream, {
      streamId: row['id'] as number,
      revision: row['revision'] as number,
      lastId: null,
    });
  }

  #create(stream: string): Head {
    const { lastInsertRowid } = this.#insertStream.run(stream);
    const streamId = Number(lastInsertRowid);
    return this.#remember(stream, { streamId, revision: NO_STREAM, lastId: null });
  }

  #remember(stream: string, head: Head): Head {
    if (this.#heads.size >= HEADS_MAX) {
      this.#insertRows();
      this.#heads.clear();
    }
    this.#heads.set(stream, head);
    return head;
  }
}

/** Of the last event; a hash that was damaged is left to the audit, which names it. */
const hashOf = (stored: unknown): Uint8Array =>
  stored instanceof Uint8Array && stored.length === HASH_BYTES ? stored : CHAIN_START;

/** In memory of their own: a message with a view into Node's pool would copy the whole pool. */
const joined = (leaves: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(leaves.length * HASH_BYTES);
  for (const [index, leaf] of leaves.entries()) all.set(leaf, index * HASH_BYTES);
  return all;
};

const isUuid = (stored: unknown, id: string | number | undefined): boolean =>
  stored instanceof Uint8Array &&
  typeof id === 'string' &&
  Buffer.from(id.replaceAll('-', ''), 'hex').equals(stored);
