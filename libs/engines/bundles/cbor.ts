import { BundleError } from './bundles.errors.js';
import { CRC_BYTES, crcOfBlock } from './crc.js';

/** The major types that bundles have. */
const UNSIGNED = 0;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;

const INDEFINITE_ARRAY = 0x9f;
const BREAK = 0xff;
const TRUE = 0xf5;
const FALSE = 0xf4;

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const CAPACITY_DEFAULT = 256;
const HEAD_BYTES_MAX = 9;

/** Writes the subset of CBOR that bundles have, into one buffer that grows. */
export class CborWriter {
  #buffer: Uint8Array;
  #length = 0;

  /** @param capacity the bytes that need no second buffer */
  constructor(capacity = CAPACITY_DEFAULT) {
    this.#buffer = new Uint8Array(capacity);
  }

  /** The bytes that are written. */
  get length(): number {
    return this.#length;
  }

  /** A view: the next item may write into another buffer. */
  written(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** @throws BundleError for a number that bundles may not have */
  uint(value: number): this {
    return this.#head(UNSIGNED, value);
  }

  bytes(content: Uint8Array): this {
    return this.#head(BYTES, content.length).append(content);
  }

  /** In ASCII, as endpoints are. */
  text(ascii: string): this {
    this.#head(TEXT, ascii.length).#reserve(ascii.length);
    for (let at = 0; at < ascii.length; at += 1) {
      this.#buffer[this.#length + at] = ascii.charCodeAt(at);
    }
    this.#length += ascii.length;
    return this;
  }

  bool(value: boolean): this {
    return this.#byte(value ? TRUE : FALSE);
  }

  /** The head of an array; its items follow. */
  array(length: number): this {
    return this.#head(ARRAY, length);
  }

  /** The array whose end is a break, as a bundle is one. */
  startIndefiniteArray(): this {
    return this.#byte(INDEFINITE_ARRAY);
  }

  endIndefiniteArray(): this {
    return this.#byte(BREAK);
  }

  /** Items that are encoded. */
  append(encoded: Uint8Array): this {
    this.#reserve(encoded.length);
    this.#buffer.set(encoded, this.#length);
    this.#length += encoded.length;
    return this;
  }

  /** The byte string that ends a block: the CRC of the block from its first byte. */
  crc(type: 1 | 2, start: number): this {
    const size = CRC_BYTES[type];
    this.#head(BYTES, size).#reserve(size);
    return this.#number(size, crcOfBlock(type, this.#buffer, start, this.#length));
  }

  #head(major: number, value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new BundleError('unsupported', `${value} is no number that a bundle may have here`);
    }
    this.#reserve(HEAD_BYTES_MAX);
    const first = major << 5;
    if (value < 24) return this.#byte(first | value);
    if (value < 0x100) return this.#byte(first | 24).#number(1, value);
    if (value < 0x1_0000) return this.#byte(first | 25).#number(2, value);
    if (value < 0x1_0000_0000) return this.#byte(first | 26).#number(4, value);
    const high = Math.floor(value / 0x1_0000_0000);
    return this.#byte(first | 27)
      .#number(4, high)
      .#number(4, value);
  }

  /** The low bytes, in network byte order; the caller has reserved them. */
  #number(size: number, value: number): this {
    for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      this.#buffer[this.#length] = value >>> shift;
      this.#length += 1;
    }
    return this;
  }

  #byte(byte: number): this {
    this.#reserve(1);
    this.#buffer[this.#length] = byte;
    this.#length += 1;
    return this;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
    grown.set(this.written());
    this.#buffer = grown;
  }
}

/**
 * Reads the subset of CBOR that bundles have: unsigned integers, byte and text strings, booleans
 * and arrays. Lengths are definite but for the outer array. Every number has its shortest form, so
 * an item is written with the bytes from which it was read. Strings are views of the input.
 */
export class CborReader {
  #at = 0;

  constructor(private readonly input: Uint8Array) {}

  /** The next byte that is read. */
  get position(): number {
    return this.#at;
  }

  /** @throws BundleError, as all methods */
  uint(): number {
    return this.#head(UNSIGNED, 'an unsigned integer');
  }

  bytes(): Uint8Array {
    return this.#take(this.#head(BYTES, 'a byte string'));
  }

  text(): string {
    const content = this.#take(this.#head(TEXT, 'a text string'));
    try {
      return DECODER.decode(content);
    } catch (cause) {
      throw new BundleError('malformed', `the text before byte ${this.#at} is no UTF-8`, { cause });
    }
  }

  bool(): boolean {
    const byte = this.#byte();
    if (byte === TRUE || byte === FALSE) return byte === TRUE;
    throw this.#unexpected('true or false');
  }

  /** The items of an array that follows. */
  array(): number {
    return this.#head(ARRAY, 'an array');
  }

  arrayOf(...lengths: readonly number[]): number {
    const length = this.array();
    if (lengths.includes(length)) return length;
    throw this.#unexpected(`an array of ${lengths.join(' or ')}`);
  }

  startIndefiniteArray(): void {
    if (this.#byte() !== INDEFINITE_ARRAY) throw this.#unexpected('an array without a length');
  }

  /** Whether the array without a length ends here. */
  ends(): boolean {
    if (this.input[this.#at] !== BREAK) return false;
    this.#at += 1;
    return true;
  }

  /** The whole input is read. */
  finish(): void {
    if (this.#at < this.input.length) {
      throw new BundleError('malformed', `${this.input.length - this.#at} bytes follow the end`);
    }
  }

  /** Whether the next item is an unsigned integer. */
  isAtUint(): boolean {
    return this.#at < this.input.length && (this.input[this.#at] ?? 0) >> 5 === UNSIGNED;
  }

  #head(major: number, expected: string): number {
    const first = this.#byte();
    if (first >> 5 !== major) throw this.#unexpected(expected);
    const short = first & 0x1f;
    if (short < 24) return short;
    if (short > 27) throw this.#unexpected(`${expected} of a definite length`);
    const size = 1 << (short - 24);
    const number = this.#take(size);
    const view = new DataView(number.buffer, number.byteOffset, size);
    const value = readNumber(view, size);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new BundleError('unsupported', `the number before byte ${this.#at} is above 2^53 - 1`);
    }
    if (value < smallestOf(size)) throw this.#unexpected('the shortest form of a number');
    return Number(value);
  }

  #byte(): number {
    const byte = this.input[this.#at];
    if (byte === undefined) throw new BundleError('malformed', 'the bundle ends too early');
    this.#at += 1;
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.input.length) throw new BundleError('malformed', 'the bundle ends too early');
    const taken = this.input.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #unexpected(expected: string): BundleError {
    return new BundleError('malformed', `expected ${expected} before byte ${this.#at}`);
  }
}

const readNumber = (view: DataView, size: number): bigint => {
  if (size === 1) return BigInt(view.getUint8(0));
  if (size === 2) return BigInt(view.getUint16(0));
  return size === 4 ? BigInt(view.getUint32(0)) : view.getBigUint64(0);
};

/** The smallest number that needs so many bytes after its head. */
const smallestOf = (size: number): bigint => (size === 1 ? 24n : 1n << BigInt(4 * size));
