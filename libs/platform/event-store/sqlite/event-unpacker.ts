import { PackedBody, PackingError } from './packed-body.js';
import { TIME_LENGTH, writeHex, writeTime, writeUuid } from './packed-text.js';
import {
  DAY_LENGTH,
  DAY_MS,
  DIGEST_BYTES,
  HOLE,
  NO_SHAPE,
  TAG,
  UUID_BYTES,
  UUID_LENGTH,
  uuidIn,
} from './packed.format.js';

/** @throws when there is no word of this number */
export interface WordTexts {
  textOf(number: number): string;
}

/** The UTF-8 of a body; valid until the next one is unpacked. */
export interface UnpackedEvent {
  readonly id: Buffer;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

const ROOM_BYTES = 16_384;
const QUOTE = 0x22;
const ZERO = 0x30;
/** Up to here a loop is faster than a call. */
const LOOPED_BYTES_MAX = 12;
const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

/**
 * Unpacks the bodies of events (`packed.format.ts`) into the bytes of JSON that were appended. Its
 * buffers serve one caller at a time.
 *
 * Bytes behind the end of the buffer are lost, and the body is unpacked once more into a larger
 * one: that is rare, and looking for room before each value would cost a fifth of the time.
 */
export class EventUnpacker {
  #room = Buffer.allocUnsafe(ROOM_BYTES);
  #end = 0;
  readonly #body = new PackedBody();
  #recordedAtMs = 0;
  /** The offsets of the UUIDs of the event in the buffer. */
  #seen: number[] = [];
  readonly #shapes = new Map<number, readonly Uint8Array[]>();
  readonly #words = new Map<number, Uint8Array>();
  #dayMs = Number.NaN;
  #day: Uint8Array = new Uint8Array();
  #stream = '';
  #uuidOfStream: string | null = null;

  constructor(private readonly words: WordTexts) {}

  /**
   * @param bytes has the body from `at` up to `end`
   * @throws for a body that is not as it was packed
   */
  unpack(
    bytes: Buffer,
    at: number,
    end: number,
    stream: string,
    recordedAtMs: number,
  ): UnpackedEvent {
    this.#body.open(bytes, at, end);
    this.#end = 0;
    this.#recordedAtMs = recordedAtMs;
    this.#seen = [0];
    this.#addUuid();
    this.#addUuidOf(stream);
    const start = this.#end;
    this.#addObject();
    const middle = this.#end;
    this.#addObject();
    this.#body.expectEnd();
    if (this.#end > this.#room.length) {
      this.#room = Buffer.allocUnsafe(2 * this.#end);
      return this.unpack(bytes, at, end, stream, recordedAtMs);
    }
    return {
      id: this.#room.subarray(0, UUID_LENGTH),
      metadata: this.#room.subarray(start, middle),
      data: this.#room.subarray(middle, this.#end),
    };
  }

  #addUuidOf(stream: string): void {
    if (stream !== this.#stream) {
      this.#stream = stream;
      this.#uuidOfStream = uuidIn(stream);
    }
    if (this.#uuidOfStream === null) return;
    this.#seen.push(this.#end);
    this.#end += this.#room.write(this.#uuidOfStream, this.#end, 'latin1');
  }

  #addObject(): void {
    const number = this.#body.number();
    if (number === NO_SHAPE) {
      this.#addJson();
      return;
    }
    const parts = this.#shapes.get(number) ?? this.#partsOf(number);
    for (let index = 0; index < parts.length; index += 1) {
      if (index > 0) this.#addValue();
      const part = parts[index];
      if (part) this.#addBytes(part);
    }
  }

  #partsOf(number: number): readonly Uint8Array[] {
    const parts = this.words
      .textOf(number)
      .split(HOLE)
      .map((part) => Buffer.from(part));
    this.#shapes.set(number, parts);
    return parts;
  }

  #addValue(): void {
    const tag = this.#body.byte();
    if (tag >= TAG.small) this.#addDecimal(tag - TAG.small);
    else if (tag === TAG.integer) this.#addDecimal(this.#body.number());
    else if (tag === TAG.json) this.#addJson();
    else if (tag === TAG.null) this.#addBytes(NULL);
    else if (tag === TAG.true) this.#addBytes(TRUE);
    else if (tag === TAG.false) this.#addBytes(FALSE);
    else {
      this.#room[this.#end++] = QUOTE;
      this.#addString(tag);
      this.#room[this.#end++] = QUOTE;
    }
  }

  #addString(tag: number): void {
    if (tag >= TAG.seen) this.#addSeen(tag - TAG.seen);
    else if (tag === TAG.uuid) {
      this.#seen.push(this.#end);
      this.#addUuid();
    } else if (tag === TAG.digest) this.#addDigest();
    else if (tag === TAG.later) this.#addInstant(this.#recordedAtMs + this.#body.number());
    else if (tag === TAG.earlier) this.#addInstant(this.#recordedAtMs - this.#body.number());
    else if (tag === TAG.decimal) this.#addDecimal(this.#body.number());
    else this.#addWord(tag);
  }

  #addWord(tag: number): void {
    if (tag < TAG.word || tag > TAG.wordAndDecimal)
      throw new PackingError(`there is no tag ${tag}`);
    const number = this.#body.number();
    this.#addBytes(this.#words.get(number) ?? this.#bytesOf(number));
    if (tag === TAG.wordAndUuid) this.#addUuid();
    else if (tag === TAG.wordAndSeen) this.#addSeen(this.#body.number());
    else if (tag === TAG.wordAndDecimal) this.#addDecimal(this.#body.number());
  }

  #bytesOf(number: number): Uint8Array {
    const bytes = Buffer.from(this.words.textOf(number));
    this.#words.set(number, bytes);
    return bytes;
  }

  #addSeen(index: number): void {
    const from = this.#seen[index];
    if (from === undefined) throw new PackingError(`there is no UUID ${index}`);
    const [room, end] = [this.#room, this.#end];
    for (let at = 0; at < UUID_LENGTH; at += 1) room[end + at] = room[from + at] ?? 0;
    this.#end = end + UUID_LENGTH;
  }

  #addUuid(): void {
    writeUuid(this.#body.bytes, this.#body.skip(UUID_BYTES), this.#room, this.#end);
    this.#end += UUID_LENGTH;
  }

  #addDigest(): void {
    const at = this.#body.skip(DIGEST_BYTES);
    writeHex(this.#body.bytes, at, DIGEST_BYTES, this.#room, this.#end);
    this.#end += 2 * DIGEST_BYTES;
  }

  #addInstant(ms: number): void {
    const dayMs = Math.floor(ms / DAY_MS) * DAY_MS;
    if (dayMs !== this.#dayMs) {
      this.#day = Buffer.from(new Date(dayMs).toISOString().slice(0, DAY_LENGTH));
      this.#dayMs = dayMs;
    }
    this.#addBytes(this.#day);
    writeTime(ms - dayMs, this.#room, this.#end);
    this.#end += TIME_LENGTH;
  }

  #addDecimal(value: number): void {
    let digits = 1;
    for (let limit = 10; limit <= value; limit *= 10) digits += 1;
    let rest = value;
    for (let at = this.#end + digits - 1; at >= this.#end; at -= 1) {
      this.#room[at] = ZERO + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#end += digits;
  }

  /** JSON that the body contains unpacked. */
  #addJson(): void {
    const length = this.#body.number();
    const at = this.#body.skip(length);
    this.#body.bytes.copy(this.#room, this.#end, at, at + length);
    this.#end += length;
  }

  #addBytes(bytes: Uint8Array): void {
    const { length } = bytes;
    const [room, end] = [this.#room, this.#end];
    this.#end = end + length;
    if (length > LOOPED_BYTES_MAX) {
      if (this.#end <= room.length) room.set(bytes, end);
    } else for (let at = 0; at < length; at += 1) room[end + at] = bytes[at] ?? 0;
  }
}
