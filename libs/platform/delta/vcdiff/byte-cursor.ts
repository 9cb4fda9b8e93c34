import { malformed } from '../delta.error.js';

const CONTINUES = 0x80;
const BITS = 0x7f;
const STEP = 128;

/** Reads one section of a window. Every read beyond its end is `malformed`. */
export class ByteCursor {
  #at = 0;

  constructor(
    private readonly section: Buffer,
    private readonly name: string,
  ) {}

  get position(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.section.length;
  }

  byte(): number {
    const value = this.section[this.#at];
    if (value === undefined) return malformed(`the ${this.name} section ends early`);
    this.#at += 1;
    return value;
  }

  /** An integer of RFC 3284, section 2: seven bits a byte, the highest first. */
  integer(): number {
    let value = 0;
    for (;;) {
      const byte = this.byte();
      value = value * STEP + (byte & BITS);
      if (value > Number.MAX_SAFE_INTEGER) return malformed('an integer is too large');
      if ((byte & CONTINUES) === 0) return value;
    }
  }

  take(length: number): Buffer {
    const taken = this.section.subarray(this.#at, this.#at + length);
    if (taken.length < length) return malformed(`the ${this.name} section ends early`);
    this.#at += length;
    return taken;
  }
}
