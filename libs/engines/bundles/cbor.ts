import { BundleError } from './bundles.errors.js';

/** The major types that bundles have. */
const UNSIGNED = 0;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;

const INDEFINITE_ARRAY = 0x9f;
const BREAK = 0xff;
const TRUE = 0xf5;
const FALSE = 0xf4;

const head = (major: number, value: number): Uint8Array => {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new BundleError('unsupported', `${value} is no number that a bundle may have here`);
  }
  const first = major << 5;
  if (value < 24) return Uint8Array.of(first | value);
  if (value < 0x100) return Uint8Array.of(first | 24, value);
  const size = value < 0x10000 ? 2 : value < 0x1_0000_0000 ? 4 : 8;
  const bytes = new Uint8Array(1 + size);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, first | (size === 2 ? 25 : size === 4 ? 26 : 27));
  if (size === 2) view.setUint16(1, value);
  else if (size === 4) view.setUint32(1, value);
  else view.setBigUint64(1, BigInt(value));
  return bytes;
};

export const uint = (value: number): Uint8Array => head(UNSIGNED, value);

export const bytes = (content: Uint8Array): Uint8Array =>
  joined([head(BYTES, content.length), content]);

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const text = (content: string): Uint8Array => {
  const encoded = ENCODER.encode(content);
  return joined([head(TEXT, encoded.length), encoded]);
};

export const bool = (value: boolean): Uint8Array => Uint8Array.of(value ? TRUE : FALSE);

export const array = (items: readonly Uint8Array[]): Uint8Array =>
  joined([head(ARRAY, items.length), ...items]);

/** The array whose end is a break, as a bundle is one. */
export const indefiniteArray = (items: readonly Uint8Array[]): Uint8Array =>
  joined([Uint8Array.of(INDEFINITE_ARRAY), ...items, Uint8Array.of(BREAK)]);

export const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

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
