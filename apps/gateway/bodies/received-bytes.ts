const NONE = Buffer.alloc(0);

/**
 * The bytes of a body in one growing buffer. A list of chunks would take a hundred bytes of memory
 * for each chunk, and a caller may send chunks of one byte.
 */
export class ReceivedBytes {
  #buffer: Buffer = NONE;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    // Most bodies are one chunk, which is not copied.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** At least doubles, so that a body is copied a bounded number of times. */
  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
