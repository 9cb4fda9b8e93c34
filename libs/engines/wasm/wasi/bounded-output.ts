/** The bytes that a module writes to one of its outputs; bytes beyond the limit are dropped. */
export class BoundedOutput {
  readonly #bytes: Uint8Array;
  #length = 0;
  #truncated = false;

  constructor(bytesMax: number) {
    this.#bytes = new Uint8Array(bytesMax);
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  write(bytes: Uint8Array): void {
    const taken = Math.min(bytes.length, this.#bytes.length - this.#length);
    this.#bytes.set(bytes.subarray(0, taken), this.#length);
    this.#length += taken;
    if (taken < bytes.length) this.#truncated = true;
  }

  base64(): string {
    return Buffer.from(this.#bytes.buffer, 0, this.#length).toString('base64');
  }
}
