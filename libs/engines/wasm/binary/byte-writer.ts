/** Writes the binary format of WebAssembly into a buffer that grows. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The written bytes; valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(...bytes: readonly number[]): this {
    this.#reserve(bytes.length);
    for (const byte of bytes) {
      this.#bytes[this.#length] = byte;
      this.#length += 1;
    }
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** An unsigned LEB128 number, up to 2^53. */
  unsigned(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.byte(rest);
  }

  /** A signed LEB128 number. */
  signed(value: bigint): this {
    let rest = value;
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
      if (isLast) return this.byte(low);
      this.byte(low | 0x80);
    }
  }

  text(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.unsigned(bytes.length).raw(bytes);
  }

  /** The bytes of another writer behind their number, as sections and bodies are stored. */
  sized(content: ByteWriter): this {
    return this.unsigned(content.length).raw(content.view());
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.view());
    this.#bytes = grown;
  }
}
