const TOO_SHORT = 'it is shorter than its values';
/** Safe integers have at most eight digits of base 128. */
const NUMBER_UNIT_MAX = 0x80 ** 7;
const NO_BYTES = Buffer.alloc(0);

/** A body that is shorter than its values, or has a tag or a word that is none. */
export class PackingError extends Error {
  override readonly name = 'PackingError';
}

/** A place in a packed body (`packed.format.ts`), which may lie among others in one buffer. */
export class PackedBody {
  #bytes: Buffer = NO_BYTES;
  #at = 0;
  #end = 0;

  /** The body from `at` up to `end`; nothing is copied. */
  open(bytes: Buffer, at: number, end: number): void {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get at(): number {
    return this.#at;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined || this.#at >= this.#end) throw new PackingError(TOO_SHORT);
    this.#at += 1;
    return byte;
  }

  number(): number {
    let number = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.byte();
      number += (byte & 0x7f) * unit;
      if (byte < 0x80) return number;
      if (unit > NUMBER_UNIT_MAX) throw new PackingError('a number is too large');
    }
  }

  /** Passes over bytes. @returns where they begin */
  skip(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#end) throw new PackingError(TOO_SHORT);
    this.#at = at + bytes;
    return at;
  }

  expectEnd(): void {
    if (this.#at !== this.#end) throw new PackingError('bytes follow the last value');
  }
}
