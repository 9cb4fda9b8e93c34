import { crc32 } from 'node:zlib';
import { type FrameFormat, type FrameReader } from '../dialect.js';

/** The lengths of a message and of its headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** The type of a header whose value is a text. */
const STRING = 7;
/** The bytes of the values of other types; bytes and texts have their length before them. */
const VALUE_BYTES: Readonly<Record<number, number>> = {
  0: 0,
  1: 0,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  8: 8,
  9: 16,
};
/** Of bytes, as of texts. */
const BYTES = 6;

/** The event of a message that cannot be read, which no reader knows. */
const DAMAGED = 'damaged';

/**
 * Cuts AWS's `application/vnd.amazon.eventstream` into messages. Both checksums of a message are
 * verified. The name of an event is its type; that of an exception begins with a `!`.
 */
export const eventFrames: FrameFormat = (onEvent, bytesMax) => new EventFrames(onEvent, bytesMax);

class EventFrames implements FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #isTooLong = false;
  #isDamaged = false;

  constructor(
    private readonly onEvent: Parameters<FrameFormat>[0],
    private readonly bytesMax: number,
  ) {}

  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  push(bytes: Buffer): void {
    if (this.#isTooLong || this.#isDamaged) return;
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= PRELUDE_BYTES) {
      const length = this.#lengthOfNext();
      if (length === null || this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#emit(message);
    }
  }

  /** A message that is not whole is one that cannot be read. */
  end(): void {
    if (this.#rest.length > 0 && !this.#isTooLong) this.#damaged();
  }

  /** Null for a message that is not waited for. */
  #lengthOfNext(): number | null {
    const length = this.#rest.readUInt32BE(0);
    const headers = this.#rest.readUInt32BE(4);
    const isWhole = crc32(this.#rest.subarray(0, 8)) === this.#rest.readUInt32BE(8);
    if (!isWhole || length < PRELUDE_BYTES + headers + CHECKSUM_BYTES) {
      this.#damaged();
      return null;
    }
    if (length <= this.bytesMax) return length;
    this.#isTooLong = true;
    return null;
  }

  #emit(message: Buffer): void {
    const end = message.length - CHECKSUM_BYTES;
    if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) {
      this.#damaged();
      return;
    }
    const start = PRELUDE_BYTES + message.readUInt32BE(4);
    const headers = headersIn(message.subarray(PRELUDE_BYTES, start));
    const payload = message.toString('utf8', start, end);
    if (headers) this.onEvent(...eventOf(headers, payload));
    else this.#damaged();
  }

  #damaged(): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    this.#rest = Buffer.alloc(0);
    this.onEvent('', DAMAGED);
  }
}

type Headers = ReadonlyMap<string, string>;

const eventOf = (headers: Headers, payload: string): [data: string, name: string] => {
  const type = headers.get(':message-type');
  if (type === 'exception') return [payload, `!${headers.get(':exception-type') ?? ''}`];
  if (type !== 'error') return [payload, headers.get(':event-type') ?? ''];
  const message = headers.get(':error-message') ?? '';
  return [JSON.stringify({ message }), `!${headers.get(':error-code') ?? ''}`];
};

/** The headers that are texts; null for bytes that are no headers. */
const headersIn = (bytes: Buffer): Headers | null => {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    if (type === undefined) return null;
    const hasLength = type === BYTES || type === STRING;
    if (hasLength && nameEnd + 3 > bytes.length) return null;
    const start = nameEnd + (hasLength ? 3 : 1);
    const length = hasLength ? bytes.readUInt16BE(nameEnd + 1) : VALUE_BYTES[type];
    if (length === undefined || start + length > bytes.length) return null;
    const name = bytes.toString('utf8', at + 1, nameEnd);
    if (type === STRING) headers.set(name, bytes.toString('utf8', start, start + length));
    at = start + length;
  }
  return headers;
};
