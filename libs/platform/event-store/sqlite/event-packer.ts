import { endOfLiteral, endOfString, shapeOf, startsString } from './json-shape.js';
import {
  DAY_LENGTH,
  DAY_MS,
  DIGEST_BYTES,
  DIGITS_MAX,
  HOLE,
  INSTANT_LENGTH,
  isHyphenAt,
  NO_SHAPE,
  SHORT_VALUES,
  TAG,
  UUID_BYTES,
  UUID_LENGTH,
  uuidIn,
} from './packed.format.js';

/** Gives the number of a word; null for a text that is not worth one, or not yet. */
export interface WordNumbers {
  numberOf(text: string): number | null;
}

/** The parts of a packed body, and the texts that its values refer to. */
export interface EventTexts {
  readonly stream: string;
  readonly type: string;
  readonly recordedAtMs: number;
  readonly id: string;
  /** JSON. */
  readonly data: string;
  /** JSON. */
  readonly metadata: string;
}

interface Shape {
  readonly number: number;
  /** The texts before, between and behind the values. */
  readonly parts: readonly string[];
}

/** UTF-16 units of JSON, above which an object is stored as it is. */
const PACKED_UNITS_MAX = 8_192;
const SHAPE_UNITS_MAX = 2_048;
const WORD_UNITS_MAX = 64;
/** Shapes of one type of event that are tried before the JSON is taken apart. */
const SHAPES_TRIED_MAX = 4;
const METADATA = '';
const UTF8_BYTES_PER_UNIT_MAX = 3;
/** The widest value beside its text: a tag and two numbers for the shortest texts. */
const PACKED_BYTES_PER_UNIT_MAX = 8;
const ROOM_BYTES = 2 * PACKED_BYTES_PER_UNIT_MAX * PACKED_UNITS_MAX;
const MISFIT = -1;

const NIBBLES = new Int8Array(128).fill(-1);
for (let nibble = 0; nibble < 16; nibble += 1) NIBBLES[nibble.toString(16).charCodeAt(0)] = nibble;

/** -1 for a character that is no hexadecimal digit in lower case. */
const nibbleAt = (text: string, at: number): number => NIBBLES[text.charCodeAt(at)] ?? -1;

/** -1 for a text that is not a run of digits in the form of a number. */
const decimalOf = (text: string): number => {
  const { length } = text;
  if (length === 0 || length > DIGITS_MAX) return -1;
  if (length > 1 && text.charCodeAt(0) === 0x30) return -1;
  let value = 0;
  for (let at = 0; at < length; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
};

/** Packs the bodies of events (`packed.format.ts`). Its buffers serve one caller at a time. */
export class EventPacker {
  #room = Buffer.allocUnsafe(ROOM_BYTES);
  #end = 0;
  #recordedAtMs = 0;
  #seen: string[] = [];
  readonly #shapes = new Map<string, Shape[]>();
  #day = '';
  #dayMs = 0;

  constructor(private readonly words: WordNumbers) {}

  pack({ stream, type, recordedAtMs, id, data, metadata }: EventTexts): Buffer {
    this.#reserve(data.length + metadata.length);
    this.#end = 0;
    this.#recordedAtMs = recordedAtMs;
    const ofStream = uuidIn(stream);
    this.#seen = ofStream === null ? [id] : [id, ofStream];
    if (!this.#addHex(id, UUID_BYTES)) throw new RangeError(`not a UUID: ${id}`);
    this.#addObject(METADATA, metadata);
    this.#addObject(type, data);
    return Buffer.from(this.#room.subarray(0, this.#end));
  }

  /** After words were taken back: shapes may be among them. */
  forgetShapes(): void {
    this.#shapes.clear();
  }

  #reserve(units: number): void {
    const bytesMax = ROOM_BYTES + units * UTF8_BYTES_PER_UNIT_MAX;
    if (bytesMax > 2 * ROOM_BYTES && bytesMax > this.#room.length) {
      this.#room = Buffer.allocUnsafe(bytesMax);
    } else if (this.#room.length < 2 * ROOM_BYTES) {
      this.#room = Buffer.allocUnsafe(2 * ROOM_BYTES);
    }
  }

  #addObject(kind: string, json: string): void {
    if (json.length <= PACKED_UNITS_MAX && this.#addShaped(kind, json)) return;
    this.#addNumber(NO_SHAPE);
    this.#addText(json);
  }

  #addShaped(kind: string, json: string): boolean {
    const known = this.#shapes.get(kind) ?? [];
    for (const shape of known) if (this.#fits(shape, json)) return true;
    const text = shapeOf(json);
    const number = text.length > SHAPE_UNITS_MAX ? null : this.words.numberOf(text);
    if (number === null) return false;
    const shape = { number, parts: text.split(HOLE) };
    this.#shapes.set(kind, [shape, ...known.slice(0, SHAPES_TRIED_MAX - 1)]);
    return this.#fits(shape, json);
  }

  /** Adds the object if it has this shape. */
  #fits({ number, parts }: Shape, json: string): boolean {
    const [start, seen] = [this.#end, this.#seen.length];
    this.#addNumber(number);
    let at = 0;
    for (const [index, part] of parts.entries()) {
      if (index > 0) at = this.#addValue(json, at);
      if (at === MISFIT || !json.startsWith(part, at)) {
        this.#end = start;
        this.#seen.length = seen;
        return false;
      }
      at += part.length;
    }
    return at === json.length;
  }

  /** The index behind the value, or `MISFIT` where none starts. */
  #addValue(json: string, at: number): number {
    if (startsString(json, at)) {
      const end = endOfString(json, at);
      if (end !== MISFIT) this.#addString(json.slice(at + 1, end - 1));
      return end;
    }
    const end = endOfLiteral(json, at);
    if (end === at) return MISFIT;
    this.#addLiteral(json.slice(at, end));
    return end;
  }

  #addLiteral(text: string): void {
    const value = decimalOf(text);
    if (value >= SHORT_VALUES) {
      this.#addByte(TAG.integer);
      this.#addNumber(value);
    } else if (value >= 0) this.#addByte(TAG.small | value);
    else if (text === 'null') this.#addByte(TAG.null);
    else if (text === 'true') this.#addByte(TAG.true);
    else if (text === 'false') this.#addByte(TAG.false);
    else this.#addJson(text);
  }

  /** @param text the text between the quotes, with its escapes */
  #addString(text: string): void {
    const { length } = text;
    if (length === UUID_LENGTH && this.#addUuid(text)) return;
    if (length === INSTANT_LENGTH && this.#addInstant(text)) return;
    if (length === 2 * DIGEST_BYTES && this.#addTagged(TAG.digest, text, DIGEST_BYTES)) return;
    const value = decimalOf(text);
    if (value >= 0) {
      this.#addByte(TAG.decimal);
      this.#addNumber(value);
    } else if (!this.#addWord(text)) this.#addJson(`"${text}"`);
  }

  #addUuid(text: string): boolean {
    const index = this.#seen.indexOf(text);
    if (index !== -1 && index < SHORT_VALUES) {
      this.#addByte(TAG.seen | index);
      return true;
    }
    if (!this.#addTagged(TAG.uuid, text, UUID_BYTES)) return false;
    this.#seen.push(text);
    return true;
  }

  #addInstant(text: string): boolean {
    const ms = this.#msOf(text);
    if (Number.isNaN(ms)) return false;
    const after = ms - this.#recordedAtMs;
    this.#addByte(after < 0 ? TAG.earlier : TAG.later);
    this.#addNumber(Math.abs(after));
    return true;
  }

  /** NaN for a text that `toISOString` would write differently. */
  #msOf(text: string): number {
    if (!TIME.test(text)) return Number.NaN;
    if (!text.startsWith(this.#day) || this.#day === '') {
      const dayMs = Date.parse(`${text.slice(0, DAY_LENGTH)}00:00:00.000Z`);
      if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(text.slice(0, 11))) {
        return Number.NaN;
      }
      [this.#day, this.#dayMs] = [text.slice(0, DAY_LENGTH), dayMs];
    }
    const digit = (at: number): number => text.charCodeAt(at) - 0x30;
    const pair = (at: number): number => digit(at) * 10 + digit(at + 1);
    const seconds = (pair(11) * 60 + pair(14)) * 60 + pair(17);
    const ms = seconds * 1_000 + pair(20) * 10 + digit(22);
    return ms < DAY_MS ? this.#dayMs + ms : Number.NaN;
  }

  #addWord(text: string): boolean {
    if (text.length > WORD_UNITS_MAX) return false;
    const colon = text.lastIndexOf(':') + 1;
    if (colon > 0 && this.#addWordAndId(text.slice(0, colon), text.slice(colon))) return true;
    const number = this.words.numberOf(text);
    if (number === null) return false;
    this.#addByte(TAG.word);
    this.#addNumber(number);
    return true;
  }

  /** `user:` and an id: each user has another text, and all of them share the word. */
  #addWordAndId(word: string, id: string): boolean {
    const decimal = decimalOf(id);
    const isUuid = uuidIn(id) === id;
    const number = decimal >= 0 || isUuid ? this.words.numberOf(word) : null;
    if (number === null) return false;
    const seen = this.#seen.indexOf(id);
    if (decimal >= 0) this.#addByte(TAG.wordAndDecimal);
    else this.#addByte(seen === -1 ? TAG.wordAndUuid : TAG.wordAndSeen);
    this.#addNumber(number);
    if (decimal >= 0) this.#addNumber(decimal);
    else if (seen === -1) this.#addHex(id, UUID_BYTES);
    else this.#addNumber(seen);
    return true;
  }

  #addJson(json: string): void {
    this.#addByte(TAG.json);
    this.#addText(json);
  }

  #addText(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#addNumber(bytes);
    this.#end += this.#room.write(text, this.#end);
  }

  #addTagged(tag: number, hex: string, bytes: number): boolean {
    this.#addByte(tag);
    if (this.#addHex(hex, bytes)) return true;
    this.#end -= 1;
    return false;
  }

  /** Hexadecimal digits in lower case, with hyphens where a UUID has them. */
  #addHex(text: string, bytes: number): boolean {
    const hasHyphens = bytes === UUID_BYTES;
    let at = 0;
    for (let index = 0; index < bytes; index += 1) {
      if (hasHyphens && isHyphenAt(at)) {
        if (text.charAt(at) !== '-') return false;
        at += 1;
      }
      const [high, low] = [nibbleAt(text, at), nibbleAt(text, at + 1)];
      if (high < 0 || low < 0) return false;
      this.#room[this.#end + index] = (high << 4) | low;
      at += 2;
    }
    this.#end += bytes;
    return true;
  }

  #addNumber(number: number): void {
    let rest = number;
    while (rest >= 0x80) {
      this.#addByte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#addByte(rest);
  }

  #addByte(byte: number): void {
    this.#room[this.#end] = byte;
    this.#end += 1;
  }
}

const TIME = /^\d{4}-\d\d-\d\dT[012]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;
