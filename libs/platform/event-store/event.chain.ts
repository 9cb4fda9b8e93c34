import { hash } from 'node:crypto';
import {
  type EventMetadata,
  type EventToAppend,
  type Position,
  type RecordedEvent,
} from './event-store.port.js';

/**
 * What Quipu said in an event, and not where a store has put it. Texts are the stored UTF-8, as a
 * string or as the bytes themselves: an auditor passes the bytes, because a string would hide a
 * byte that is no UTF-8.
 */
export interface StoredFields {
  readonly revision: number | bigint;
  /** When it was said, in milliseconds since the Unix epoch. */
  readonly recordedAtMs: number | bigint;
  readonly stream: string | Uint8Array;
  readonly type: string | Uint8Array;
  readonly id: string | Uint8Array;
  /** JSON. */
  readonly data: string | Uint8Array;
  /** JSON. */
  readonly metadata: string | Uint8Array;
}

export const HASH_BYTES = 32;

/** The predecessor of the first event in the hash chain. */
export const CHAIN_START: Uint8Array = new Uint8Array(HASH_BYTES);

/** RFC 6962 puts 0x00 before a leaf and 0x01 before an inner node; the chain takes 0x02. */
const LEAF_PREFIX = 0x00;
const CHAIN_PREFIX = 0x02;

/** Raised when the encoding changes. */
const ENCODING_VERSION = 1;

/** A string with a character for each byte: Node makes it in a third of the time of a buffer. */
const DIGEST = 'binary';

const UINT32 = 2 ** 32;
const UINT32_BYTES = 4;
const UINT64_BYTES = 8;
const TEXTS = 5;
const FIXED_BYTES = 2 + 2 * UINT64_BYTES + TEXTS * UINT32_BYTES;
const UTF8_BYTES_PER_UNIT_MAX = 3;
const ROOM_BYTES = 64 * 1_024;

/**
 * Encodes and hashes events. The buffers are reused: an encoder serves one caller at a time.
 *
 * The encoding of an event is the version (one byte, 1), then revision and instant as 64-bit
 * integers, then stream, type, id, data and metadata, each as its length in bytes (unsigned 32-bit)
 * and its bytes. Integers are big-endian. It is unambiguous, so that two events never have one
 * encoding. It has no position, so that it is the same in every store. It is the leaf input of a
 * Merkle tree as in RFC 6962:
 *
 *     leaf hash  = SHA-256(0x00 || encoding)
 *     chain hash = SHA-256(0x02 || chain hash of the event before || leaf hash)
 */
export class EventHasher {
  /** The leaf prefix, then the encoding. */
  #room = Buffer.allocUnsafe(ROOM_BYTES);
  #end = 0;
  readonly #link = Buffer.alloc(1 + 2 * HASH_BYTES, CHAIN_PREFIX);

  /** A copy of the canonical bytes of the event: the input of its leaf. */
  encode(event: StoredFields): Buffer {
    this.#encode(event);
    return Buffer.from(this.#room.subarray(1, this.#end));
  }

  leafHash(event: StoredFields): Buffer {
    return Buffer.from(this.#leaf(event), 'latin1');
  }

  /** @param previous the chain hash of the event before, or `CHAIN_START` */
  chainHash(previous: Uint8Array, event: StoredFields): Buffer {
    return this.link(previous, this.leafHash(event));
  }

  /** The chain hash of an event whose leaf hash is known. */
  link(previous: Uint8Array, leaf: Uint8Array): Buffer {
    this.#link.set(previous, 1);
    this.#link.set(leaf, 1 + HASH_BYTES);
    return Buffer.from(hash('sha256', this.#link, DIGEST), 'latin1');
  }

  /** As `chainHash`; both hashes are strings with a character for each byte. */
  chainText(previous: string, event: StoredFields): string {
    this.#link.write(previous, 1, 'latin1');
    this.#link.write(this.#leaf(event), 1 + HASH_BYTES, 'latin1');
    return hash('sha256', this.#link, DIGEST);
  }

  #leaf(event: StoredFields): string {
    this.#encode(event);
    return hash('sha256', this.#room.subarray(0, this.#end), DIGEST);
  }

  #encode({ revision, recordedAtMs, stream, type, id, data, metadata }: StoredFields) {
    const units = stream.length + type.length + id.length + data.length + metadata.length;
    const bytesMax = FIXED_BYTES + units * UTF8_BYTES_PER_UNIT_MAX;
    if (bytesMax > this.#room.length) this.#room = Buffer.allocUnsafe(bytesMax);
    this.#room[0] = LEAF_PREFIX;
    this.#room[1] = ENCODING_VERSION;
    this.#end = 2;
    this.#addInteger(revision);
    this.#addInteger(recordedAtMs);
    this.#addText(stream);
    this.#addText(type);
    this.#addText(id);
    this.#addText(data);
    this.#addText(metadata);
  }

  #addInteger(value: number | bigint): void {
    if (typeof value === 'bigint') this.#room.writeBigInt64BE(value, this.#end);
    else {
      // Safe integers; a division is several times as fast as a bigint.
      this.#room.writeInt32BE(Math.floor(value / UINT32), this.#end);
      this.#room.writeUInt32BE(value >>> 0, this.#end + UINT32_BYTES);
    }
    this.#end += UINT64_BYTES;
  }

  #addText(text: string | Uint8Array): void {
    const at = this.#end + UINT32_BYTES;
    let bytes = text.length;
    if (typeof text === 'string') bytes = this.#room.write(text, at);
    else this.#room.set(text, at);
    this.#room.writeUInt32BE(bytes, this.#end);
    this.#end = at + bytes;
  }
}

/** The place of an event in the log, as its writer has decided it. */
export type WrittenPlace = Pick<RecordedEvent, 'stream' | 'revision' | 'position'>;

/**
 * An event that this process has just written: its writer has hashed what it stored. Its fields are
 * the fields of an event that was read, so a copy or a comparison of the two finds no difference.
 */
export class WrittenEvent implements RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly recordedAt: string;
  readonly #source: object | undefined;
  readonly #leaves: Uint8Array;
  readonly #leaf: number;

  /** @param leaves the leaf hashes of a group, one after another; `leaf` is the index of its own */
  constructor(
    { id, type, data, metadata, source }: EventToAppend,
    { stream, revision, position }: WrittenPlace,
    recordedAt: string,
    leaves: Uint8Array,
    leaf: number,
  ) {
    this.id = id;
    this.type = type;
    this.data = data;
    this.metadata = metadata;
    this.stream = stream;
    this.revision = revision;
    this.position = position;
    this.recordedAt = recordedAt;
    this.#source = source;
    this.#leaves = leaves;
    this.#leaf = leaf;
  }

  get source(): object | undefined {
    return this.#source;
  }

  /** Undefined for an event that was read. */
  static leafOf(event: RecordedEvent): Uint8Array | undefined {
    if (!(#leaf in event)) return undefined;
    const at = event.#leaf * HASH_BYTES;
    return event.#leaves.subarray(at, at + HASH_BYTES);
  }
}

/** The leaf hash of an event: as its writer in this process has computed it, or computed now. */
export const leafOf = (event: RecordedEvent, hasher: EventHasher): Uint8Array =>
  WrittenEvent.leafOf(event) ?? hasher.leafHash(storedFieldsOf(event));

/**
 * The fields of an event that was read. JSON is written as ECMAScript does, which is what
 * every event of Quipu was appended as.
 */
export const storedFieldsOf = (event: RecordedEvent): StoredFields => {
  const { revision, stream, type, id, data, metadata, recordedAt } = event;
  return {
    revision,
    stream,
    type,
    id,
    recordedAtMs: Date.parse(recordedAt),
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  };
};
