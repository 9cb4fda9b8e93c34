/**
 * Wakes a thread that waits for messages without an event loop. A message to it and its reply take
 * a quarter to a third less CPU than with one (measured with the messages and work of a commit).
 */
export class Bell {
  readonly #rings: Int32Array<SharedArrayBuffer>;

  /** @param memory of the bell that another thread made; default: a new bell */
  constructor(readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.#rings = new Int32Array(memory);
  }

  ring(): void {
    Atomics.add(this.#rings, 0, 1);
    Atomics.notify(this.#rings, 0);
  }

  /**
   * Blocks the thread until there are more rings than it has heard.
   * @returns the rings so far
   */
  wait(heard: number): number {
    Atomics.wait(this.#rings, 0, heard);
    return Atomics.load(this.#rings, 0);
  }
}
