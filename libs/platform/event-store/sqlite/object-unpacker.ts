import { type EventMetadata } from '../event-store.port.js';
import { type WordTexts } from './event-unpacker.js';
import { ObjectShape, ShapeCompiler } from './object-shape.js';
import { PackedBody, PackingError } from './packed-body.js';
import { writeTime, writeUuid } from './packed-text.js';
import {
  DAY_LENGTH,
  DAY_MS,
  DIGEST_BYTES,
  NO_SHAPE,
  TAG,
  UUID_BYTES,
  UUID_LENGTH,
  uuidIn,
} from './packed.format.js';

export interface UnpackedObjects {
  readonly id: string;
  readonly metadata: EventMetadata;
  readonly data: object;
  /** About the UTF-16 units of the JSON of both. */
  readonly units: number;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const SPACE = 0x20;
const DELETE = 0x7f;
/** Up to here a loop is faster than a call. */
const LOOPED_BYTES_MAX = 64;

/**
 * Unpacks the bodies of events (`packed.format.ts`) into the objects that `JSON.parse` would give.
 * The texts of words are shared by all of them. Its buffers serve one caller at a time.
 */
export class ObjectUnpacker {
  readonly #body = new PackedBody();
  #recordedAtMs = 0;
  #units = 0;
  /** The UUIDs of the event. */
  #seen: string[] = [];
  /** Those of the object that is built next. */
  readonly #values: unknown[] = [];
  readonly #compiler = new ShapeCompiler();
  readonly #shapes: (ObjectShape | undefined)[] = [];
  readonly #words: (string | undefined)[] = [];
  readonly #uuid = Buffer.alloc(UUID_LENGTH);
  readonly #instant = Buffer.from(new Date(0).toISOString());
  #dayMs = 0;
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
  ): UnpackedObjects {
    this.#body.open(bytes, at, end);
    this.#recordedAtMs = recordedAtMs;
    this.#units = end - at;
    const id = this.#readUuid();
    const ofStream = this.#uuidOf(stream);
    this.#seen = ofStream === null ? [id] : [id, ofStream];
    const metadata = this.#object() as EventMetadata;
    const data = this.#object() as object;
    this.#body.expectEnd();
    return { id, metadata, data, units: this.#units };
  }

  #uuidOf(stream: string): string | null {
    if (stream !== this.#stream) {
      this.#stream = stream;
      this.#uuidOfStream = uuidIn(stream);
    }
    return this.#uuidOfStream;
  }

  #object(): unknown {
    const number = this.#body.number();
    if (number === NO_SHAPE) return this.#json();
    const shape = this.#shapes[number] ?? this.#shapeOf(number);
    const values = this.#values;
    for (let index = 0; index < shape.values; index += 1) values[index] = this.#value();
    this.#units += shape.units;
    return shape.build(values);
  }

  #shapeOf(number: number): ObjectShape {
    const shape = new ObjectShape(this.words.textOf(number), this.#compiler);
    while (this.#shapes.length <= number) this.#shapes.push(undefined);
    this.#shapes[number] = shape;
    return shape;
  }

  #value(): unknown {
    const tag = this.#body.byte();
    if (tag >= TAG.small) return tag - TAG.small;
    if (tag >= TAG.seen) return this.#seenAt(tag - TAG.seen);
    switch (tag) {
      case TAG.word:
        return this.#word();
      case TAG.decimal:
        return String(this.#body.number());
      case TAG.integer:
        return this.#body.number();
      case TAG.uuid:
        return this.#newUuid();
      case TAG.later:
        return this.#instantOf(this.#recordedAtMs + this.#body.number());
      case TAG.earlier:
        return this.#instantOf(this.#recordedAtMs - this.#body.number());
      case TAG.digest: {
        const at = this.#body.skip(DIGEST_BYTES);
        return this.#body.bytes.toString('hex', at, at + DIGEST_BYTES);
      }
      case TAG.json:
        return this.#json();
      case TAG.wordAndUuid:
        return this.#word() + this.#readUuid();
      case TAG.wordAndSeen:
        return this.#word() + this.#seenAt(this.#body.number());
      case TAG.wordAndDecimal:
        return this.#word() + String(this.#body.number());
      case TAG.null:
        return null;
      case TAG.true:
        return true;
      case TAG.false:
        return false;
      default:
        throw new PackingError(`there is no tag ${tag}`);
    }
  }

  #word(): string {
    const number = this.#body.number();
    return this.#words[number] ?? this.#wordOf(number);
  }

  /** A word is the text between the quotes of its JSON, with its escapes. */
  #wordOf(number: number): string {
    const text = JSON.parse(`"${this.words.textOf(number)}"`) as string;
    while (this.#words.length <= number) this.#words.push(undefined);
    this.#words[number] = text;
    return text;
  }

  #json(): unknown {
    const length = this.#body.number();
    const at = this.#body.skip(length);
    const end = at + length;
    const { bytes } = this.#body;
    if (isPlainString(bytes, at, end)) return bytes.toString('latin1', at + 1, end - 1);
    return JSON.parse(bytes.toString('utf8', at, end));
  }

  #seenAt(index: number): string {
    const uuid = this.#seen[index];
    if (uuid === undefined) throw new PackingError(`there is no UUID ${index}`);
    return uuid;
  }

  #newUuid(): string {
    const uuid = this.#readUuid();
    this.#seen.push(uuid);
    return uuid;
  }

  #readUuid(): string {
    writeUuid(this.#body.bytes, this.#body.skip(UUID_BYTES), this.#uuid, 0);
    return this.#uuid.toString('latin1');
  }

  #instantOf(ms: number): string {
    const dayMs = Math.floor(ms / DAY_MS) * DAY_MS;
    const text = this.#instant;
    if (dayMs !== this.#dayMs) {
      text.write(new Date(dayMs).toISOString().slice(0, DAY_LENGTH), 'latin1');
      this.#dayMs = dayMs;
    }
    writeTime(ms - dayMs, text, DAY_LENGTH);
    return text.toString('latin1');
  }
}

/** Whether it is the JSON of a short string in ASCII without escapes. */
const isPlainString = (bytes: Buffer, at: number, end: number): boolean => {
  if (end - at > LOOPED_BYTES_MAX || end - at < 2) return false;
  if (bytes[at] !== QUOTE || bytes[end - 1] !== QUOTE) return false;
  for (let index = at + 1; index < end - 1; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte < SPACE || byte >= DELETE || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
};
