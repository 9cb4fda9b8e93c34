import { fstatSync } from 'node:fs';
import { readFully } from '../base-file.js';
import { malformed } from '../delta.error.js';
import { ByteCursor } from './byte-cursor.js';

/** Longer than the header of any window. */
const HEADER_BYTES_MAX = 128;

/** Reads a delta from its first byte to its last. */
export class DeltaStream {
  #at = 0;
  readonly #bytes: number;

  /** @param fd open for reading; the caller closes it */
  constructor(private readonly fd: number) {
    this.#bytes = fstatSync(fd).size;
  }

  get left(): number {
    return this.#bytes - this.#at;
  }

  take(length: number): Buffer {
    if (length > this.left) return malformed('the delta ends early');
    const taken = Buffer.allocUnsafe(length);
    readFully(this.fd, taken, this.#at);
    this.#at += length;
    return taken;
  }

  skip(length: number): void {
    if (length > this.left) malformed('the delta ends early');
    this.#at += length;
  }

  byte(): number {
    return new ByteCursor(this.take(1), 'header').byte();
  }

  /** An integer of RFC 3284. */
  integer(): number {
    const start = this.#at;
    const ahead = this.take(Math.min(HEADER_BYTES_MAX, this.left));
    const cursor = new ByteCursor(ahead, 'header');
    const value = cursor.integer();
    this.#at = start + cursor.position;
    return value;
  }
}
