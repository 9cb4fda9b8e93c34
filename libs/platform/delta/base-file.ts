import { fstatSync, readSync } from 'node:fs';
import { malformed } from './delta.error.js';

const PAGE_BYTES = 256 * 1_024;
const PAGES_MAX = 64;

/** Reads a file at any position; small reads come from the pages that were read last. */
export class BaseFile {
  readonly #pages = new Map<number, Buffer>();
  readonly bytes: number;

  /** @param fd open for reading; the caller closes it */
  constructor(private readonly fd: number) {
    this.bytes = fstatSync(fd).size;
  }

  /**
   * Fills `target` from `at` to `at + length` with the bytes from `position` on.
   * @throws DeltaError `malformed` for a read beyond the end
   */
  copy(position: number, target: Buffer, at: number, length: number): void {
    if (position < 0 || position + length > this.bytes)
      malformed('the delta reads beyond its base');
    if (length >= PAGE_BYTES) {
      readFully(this.fd, target.subarray(at, at + length), position);
      return;
    }
    for (let done = 0; done < length;) {
      const from = position + done;
      const page = this.#page(Math.floor(from / PAGE_BYTES));
      const offset = from % PAGE_BYTES;
      const count = Math.min(length - done, page.length - offset);
      page.copy(target, at + done, offset, offset + count);
      done += count;
    }
  }

  #page(index: number): Buffer {
    const known = this.#pages.get(index);
    if (known) return known;
    const position = index * PAGE_BYTES;
    const page = Buffer.allocUnsafe(Math.min(PAGE_BYTES, this.bytes - position));
    readFully(this.fd, page, position);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size >= PAGES_MAX && oldest !== undefined) this.#pages.delete(oldest);
    this.#pages.set(index, page);
    return page;
  }
}

/** @throws DeltaError `malformed` where the file ends first */
export const readFully = (fd: number, target: Buffer, position: number): void => {
  for (let done = 0; done < target.length;) {
    const count = readSync(fd, target, done, target.length - done, position + done);
    if (count === 0) malformed('the delta, or its base, ends early');
    done += count;
  }
};
