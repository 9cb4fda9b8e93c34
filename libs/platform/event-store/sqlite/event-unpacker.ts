import {
  DAY_LENGTH,
  DAY_MS,
  DIGEST_BYTES,
  HOLE,
  isHyphenAt,
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
const HEX = Buffer.from('0123456789abcdef');
const QUOTE = 0x22;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const POINT = 0x2e;
const ZULU = 0x5a;
const ZERO = 0x30;
/** Up to here a loop is faster than a call. */
const LOOPED_BYTES_MAX = 64;
const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const TOO_SHORT = 'it is shorter than its values';
/** Safe integers have at most eight digits of base 128. */
const NUMBER_UNIT_MAX = 0x80 ** 7;

/** A body that is shorter than its values, or has a tag or a word that is none. */
class PackingError extends Error {
  override readonly name = 'PackingError';
}

/** Unpacks the bodies of events (`packed.format.ts`). Its buffers serve one caller at a time. */
export class EventUnpacker {
  #room = Buffer.allocUnsafe(ROOM_BYTES);
  #end = 0;
  #body: Uint8Array = new Uint8Array();
  #at = 0;
  #recordedAtMs = 0;
  /** Where the UUIDs of the event stand in the room. */
  #seen: number[] = [];
  readonly #shapes = new Map<number, readonly Uint8Array[]>();
  readonly #words = new Map<number, Uint8Array>();
  #dayMs = Number.NaN;
  #day: Uint8Array = new Uint8Array();
  #stream = '';
  #uuidOfStream: string | null = null;

  constructor(private readonly words: WordTexts) {}

  /** @throws for a body that is not as it was packed */
  unpack(body: Uint8Array, stream: string, recordedAtMs: number): UnpackedEvent {
    this.#body = body;
    this.#at = 0;
    this.#end = 0;
    this.#recordedAtMs = recordedAtMs;
    this.#seen = [0];
    this.#addUuid();
    this.#addUuidOf(stream);
    const start = this.#end;
    this.#addObject();
    const middle = this.#end;
    this.#addObject();
    if (this.#at !== body.length) throw new PackingError('bytes follow the last value');
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
    this.#reserve(UUID_LENGTH);
    this.#end += this.#room.write(this.#uuidOfStream, this.#end, 'latin1');
  }

  #addObject(): void {
    const number = this.#number();
    if (number === NO_SHAPE) {
      this.#addBytes(this.#take(this.#number()));
      return;
    }
    const parts = this.#partsOf(number);
    for (let index = 0; index < parts.length; index += 1) {
      if (index > 0) this.#addValue();
      const part = parts[index];
      if (part) this.#addBytes(part);
    }
  }

  #partsOf(number: number): readonly Uint8Array[] {
    const known = this.#shapes.get(number);
    if (known) return known;
    const parts = this.words
      .textOf(number)
      .split(HOLE)
      .map((part) => Buffer.from(part));
    this.#shapes.set(number, parts);
    return parts;
  }

  #addValue(): void {
    const tag = this.#byte();
    if (tag >= TAG.small) this.#addDecimal(tag - TAG.small);
    else if (tag === TAG.integer) this.#addDecimal(this.#number());
    else if (tag === TAG.json) this.#addBytes(this.#take(this.#number()));
    else if (tag === TAG.null) this.#addBytes(NULL);
    else if (tag === TAG.true) this.#addBytes(TRUE);
    else if (tag === TAG.false) this.#addBytes(FALSE);
    else {
      this.#reserve(1);
      this.#room[this.#end++] = QUOTE;
      this.#addString(tag);
      this.#reserve(1);
      this.#room[this.#end++] = QUOTE;
    }
  }

  #addString(tag: number): void {
    if (tag >= TAG.seen) this.#addSeen(tag - TAG.seen);
    else if (tag === TAG.uuid) {
      this.#seen.push(this.#end);
      this.#addUuid();
    } else if (tag === TAG.digest) this.#addHex(DIGEST_BYTES);
    else if (tag === TAG.later) this.#addInstant(this.#recordedAtMs + this.#number());
    else if (tag === TAG.earlier) this.#addInstant(this.#recordedAtMs - this.#number());
    else if (tag === TAG.decimal) this.#addDecimal(this.#number());
    else this.#addWord(tag);
  }

  #addWord(tag: number): void {
    if (tag < TAG.word || tag > TAG.wordAndDecimal)
      throw new PackingError(`there is no tag ${tag}`);
    this.#addBytes(this.#bytesOf(this.#number()));
    if (tag === TAG.wordAndUuid) this.#addUuid();
    else if (tag === TAG.wordAndSeen) this.#addSeen(this.#number());
    else if (tag === TAG.wordAndDecimal) this.#addDecimal(this.#number());
  }

  #bytesOf(number: number): Uint8Array {
    const known = this.#words.get(number);
    if (known) return known;
    const bytes = Buffer.from(this.words.textOf(number));
    this.#words.set(number, bytes);
    return bytes;
  }

  #addSeen(index: number): void {
    const from = this.#seen[index];
    if (from === undefined) throw new PackingError(`there is no UUID ${index}`);
    this.#reserve(UUID_LENGTH);
    this.#room.copyWithin(this.#end, from, from + UUID_LENGTH);
    this.#end += UUID_LENGTH;
  }

  #addUuid(): void {
    const at = this.#at;
    this.#reserve(UUID_LENGTH);
    let end = this.#end;
    for (let index = 0; index < UUID_BYTES; index += 1) {
      if (isHyphenAt(end - this.#end)) this.#room[end++] = HYPHEN;
      end = this.#addHexByte(this.#body[at + index], end);
    }
    this.#at += UUID_BYTES;
    this.#end = end;
  }

  #addHex(bytes: number): void {
    const at = this.#at;
    this.#reserve(2 * bytes);
    let end = this.#end;
    for (let index = 0; index < bytes; index += 1) {
      end = this.#addHexByte(this.#body[at + index], end);
    }
    this.#at += bytes;
    this.#end = end;
  }

  #addHexByte(byte: number | undefined, end: number): number {
    if (byte === undefined) throw new PackingError(TOO_SHORT);
    this.#room[end] = HEX[byte >> 4] ?? 0;
    this.#room[end + 1] = HEX[byte & 0x0f] ?? 0;
    return end + 2;
  }

  #addInstant(ms: number): void {
    const dayMs = Math.floor(ms / DAY_MS) * DAY_MS;
    if (dayMs !== this.#dayMs) {
      this.#day = Buffer.from(new Date(dayMs).toISOString().slice(0, DAY_LENGTH));
      this.#dayMs = dayMs;
    }
    this.#addBytes(this.#day);
    this.#reserve(DAY_LENGTH + 2);
    const rest = ms - dayMs;
    const seconds = Math.floor(rest / 1_000);
    const minutes = Math.floor(seconds / 60);
    this.#addDigits(Math.floor(minutes / 60), 2, COLON);
    this.#addDigits(minutes % 60, 2, COLON);
    this.#addDigits(seconds % 60, 2, POINT);
    this.#addDigits(rest % 1_000, 3, ZULU);
  }

  #addDigits(value: number, digits: number, separator: number): void {
    let rest = value;
    for (let at = this.#end + digits - 1; at >= this.#end; at -= 1) {
      this.#room[at] = ZERO + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#room[this.#end + digits] = separator;
    this.#end += digits + 1;
  }

  #addDecimal(value: number): void {
    let digits = 1;
    for (let limit = 10; limit <= value; limit *= 10) digits += 1;
    this.#reserve(digits);
    let rest = value;
    for (let at = this.#end + digits - 1; at >= this.#end; at -= 1) {
      this.#room[at] = ZERO + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#end += digits;
  }

  #addBytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#reserve(length);
    if (length > LOOPED_BYTES_MAX) this.#room.set(bytes, this.#end);
    else {
      const room = this.#room;
      const end = this.#end;
      for (let at = 0; at < length; at += 1) room[end + at] = bytes[at] ?? 0;
    }
    this.#end += length;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#room.length) return;
    const room = Buffer.allocUnsafe(2 * (this.#end + bytes));
    room.set(this.#room.subarray(0, this.#end));
    this.#room = room;
  }

  #take(bytes: number): Uint8Array {
    const end = this.#at + bytes;
    if (end > this.#body.length) throw new PackingError(TOO_SHORT);
    const taken = this.#body.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #number(): number {
    let number = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#byte();
      number += (byte & 0x7f) * unit;
      if (byte < 0x80) return number;
      if (unit > NUMBER_UNIT_MAX) throw new PackingError('a number is too large');
    }
  }

  #byte(): number {
    const byte = this.#body[this.#at];
    if (byte === undefined) throw new PackingError(TOO_SHORT);
    this.#at += 1;
    return byte;
  }
}
