import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { afterFailure } from '#platform/sqlite/sqlite-codes.js';
import { CHAIN_START, EventHasher, type StoredFields } from '../event.chain.js';
import { type DamagedEvent } from '../log-chain.port.js';
import { EventUnpacker } from './event-unpacker.js';
import { IntactPage, type StoredName } from './intact-page.js';
import { type CheckedSegment, type Seam } from './log-chain.protocol.js';
import { bufferOf } from './stored-rows.js';
import { WordReader } from './word-list.js';

/** Positions of one page. Pages begin at multiples of it, so that a gap is always cut there. */
export const PAGE_POSITIONS = 4_096;
/** Positions that are checked at once as long as nothing is damaged: their bodies are in memory. */
const INTACT_POSITIONS = 1_024;
/** A page of large events ends here. */
const PAGE_BYTES_MAX = 8 * 1_048_576;
/** Names of streams that are remembered. */
const STREAMS_MAX = 100_000;

/** A column may have another storage class than it was written with; then its type is wrong. */
const SELECT = `
  SELECT position, stream_id, revision, type, recorded_at, body, hash,
         typeof(revision) = 'integer' AND typeof(type) = 'integer' AND
         typeof(recorded_at) = 'integer'
    FROM events`;

type Row = [
  position: number,
  streamId: number,
  revision: number,
  type: number,
  recordedAtMs: number,
  body: Uint8Array | string,
  hash: Uint8Array | string,
  hasIntegers: number,
];

/**
 * Recomputes the chain from the stored bytes. Each hash is checked against the stored one of the
 * event before, so that one damaged event is one fault, and the check continues behind it.
 */
export class ChainReader {
  readonly #database: DatabaseSync;
  readonly #page: StatementSync;
  readonly #hashAt: StatementSync;
  readonly #streamOf: StatementSync;
  readonly #streams = new Map<number, StoredName>();
  readonly #words: WordReader;
  readonly #unpacker: EventUnpacker;
  readonly #intact: IntactPage;
  readonly #hasher = new EventHasher();
  #position = 0;
  /** The stored chain hash at `#position`; null where it could not be read. */
  #stored: Uint8Array | null = CHAIN_START;
  /** The hash of the event there if the event is as it was appended and its stored hash is not. */
  #computed: Uint8Array | null = null;
  #damaged: DamagedEvent[] = [];
  #events = 0;

  constructor(file: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
    this.#page = this.#database.prepare(
      `${SELECT} WHERE position > ? AND position <= ? ORDER BY position`,
    );
    this.#page.setReturnArrays(true);
    this.#hashAt = this.#database.prepare('SELECT hash FROM events WHERE position = ?');
    this.#streamOf = this.#database.prepare(
      'SELECT name AS text, CAST(name AS BLOB) AS bytes FROM streams WHERE id = ?',
    );
    this.#words = new WordReader(this.#database);
    this.#unpacker = new EventUnpacker(this.#words);
    this.#intact = new IntactPage(this.#database, this.#words, (id) => this.#nameOf(id));
  }

  /**
   * Checks the events behind `from`, up to `upTo`.
   * @param seam what is known of the event at `from`; without it the stored hash there is read
   */
  check(from: number, upTo: number, seam?: Seam): CheckedSegment {
    const before = seam ?? { stored: this.#storedAt(from), computed: null };
    this.#damaged = [];
    this.#events = 0;
    this.#moveTo(from, before.stored, before.computed);
    while (this.#position < upTo) this.#checkNextPage(upTo);
    return {
      events: this.#events,
      damaged: this.#damaged,
      before,
      after: { stored: this.#stored, computed: this.#computed },
    };
  }

  close(): void {
    this.#database.close();
  }

  /** As a check of the event there would leave it, if the event is as it was appended. */
  #storedAt(position: number): Uint8Array | null {
    if (position === 0) return CHAIN_START;
    try {
      const hash = afterFailure(() => this.#hashAt.get(position))?.['hash'];
      return hash instanceof Uint8Array ? hash : null;
    } catch {
      // The check of the event says so.
      return null;
    }
  }

  #checkNextPage(upTo: number): void {
    if (this.#passIntact(upTo)) return;
    const pageEnd = this.#position - (this.#position % PAGE_POSITIONS) + PAGE_POSITIONS;
    const end = Math.min(pageEnd, upTo);
    try {
      this.#checkPage(end);
    } catch {
      this.#checkOneByOne(end);
    }
  }

  /** @returns false where the next events are to be checked one by one */
  #passIntact(upTo: number): boolean {
    const from = this.#position;
    const end = Math.min(from - (from % INTACT_POSITIONS) + INTACT_POSITIONS, upTo);
    if (this.#stored === null || this.#computed !== null) return false;
    const hash = this.#intact.hashAfter(from, end, this.#stored);
    if (hash === null) return false;
    this.#events += end - from;
    this.#moveTo(end, hash, null);
    return true;
  }

  /** @throws what SQLite says of a page of the file that it cannot read */
  #checkPage(end: number): void {
    let bytes = 0;
    for (const row of this.#page.iterate(this.#position, end)) {
      const stored = row as unknown as Row;
      this.#expectNoGap(stored[0]);
      this.#checkRow(stored);
      bytes += stored[5].length;
      if (bytes > PAGE_BYTES_MAX) return;
    }
    this.#expectNoGap(end + 1);
  }

  /** Finds the events that SQLite cannot read; those beside them are checked as well. */
  #checkOneByOne(end: number): void {
    while (this.#position < end) {
      const position = this.#position + 1;
      try {
        afterFailure(() => this.#checkPage(position));
      } catch (error) {
        const reason = `the file cannot be read there: ${(error as Error).message}`;
        this.#report(position, null, reason);
        this.#moveTo(position, null, null);
      }
    }
  }

  #expectNoGap(next: number): void {
    const position = this.#position + 1;
    if (position === next) return;
    const last = next - 1;
    const reason = position === last ? 'it is missing' : `it and all up to ${last} are missing`;
    this.#report(position, null, reason);
    this.#moveTo(last, null, null);
  }

  #checkRow(row: Row): void {
    const [position, streamId, , , , , hash] = row;
    this.#events += 1;
    const stored = hash instanceof Uint8Array ? hash : null;
    const name = this.#nameOf(streamId);
    if (name === null || stored === null || !hasItsTypes(row)) {
      const reason = name === null ? 'its stream is gone' : 'a field has another type than it had';
      this.#report(position, name, reason);
      this.#moveTo(position, stored, null);
      return;
    }
    if (this.#stored === null) {
      // Nothing to chain it to: the event before is damaged, and reported.
      this.#moveTo(position, stored, null);
      return;
    }
    const fields = this.#fieldsOf(row, name);
    const computed = fields && this.#hasher.chainHash(this.#stored, fields);
    if (!computed?.equals(stored) && !this.#isAfterComputed(fields, stored)) {
      this.#report(position, name, isReadable(fields) ? DIFFERS : UNREADABLE);
      this.#moveTo(position, stored, computed);
    } else this.#moveTo(position, stored, null);
  }

  /** The hash of the event before was damaged, and the event itself was not. */
  #isAfterComputed(fields: StoredFields | null, stored: Uint8Array): boolean {
    if (!fields || !this.#computed) return false;
    return this.#hasher.chainHash(this.#computed, fields).equals(stored);
  }

  /** The fields of the event as a reader sees them; null for a body that cannot be unpacked. */
  #fieldsOf(
    [, , revision, type, recordedAtMs, body]: Row,
    { text, bytes }: StoredName,
  ): StoredFields | null {
    try {
      const packed = bufferOf(body as Uint8Array);
      const unpacked = this.#unpacker.unpack(packed, 0, packed.length, text, recordedAtMs);
      const words = { stream: bytes, type: this.#words.textOf(type) };
      return { revision, recordedAtMs, ...words, ...unpacked };
    } catch {
      return null;
    }
  }

  #nameOf(streamId: number): StoredName | null {
    const known = this.#streams.get(streamId);
    if (known) return known;
    const name = this.#streamOf.get(streamId) as unknown as StoredName | undefined;
    if (!name) return null;
    if (this.#streams.size >= STREAMS_MAX) this.#streams.clear();
    this.#streams.set(streamId, name);
    return name;
  }

  #report(position: number, name: StoredName | null, reason: string): void {
    const stream = name && name.text;
    this.#damaged.push({ position: BigInt(position), stream, reason });
  }

  #moveTo(position: number, stored: Uint8Array | null, computed: Uint8Array | null): void {
    this.#position = position;
    this.#stored = stored;
    this.#computed = computed;
  }
}

const DIFFERS = 'it differs from the appended event';
const UNREADABLE = `${DIFFERS}, and cannot be read`;

const hasItsTypes = ([, , , , , body, hash, hasIntegers]: Row): boolean =>
  body instanceof Uint8Array && hash instanceof Uint8Array && hasIntegers === 1;

const isReadable = (fields: StoredFields | null): boolean => {
  try {
    for (const json of [fields?.data, fields?.metadata]) JSON.parse(String(json));
    return true;
  } catch {
    return false;
  }
};
