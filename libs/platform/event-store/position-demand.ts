/**
 * Whether the consumer of a subscription waits for its position. Events are delivered at once; a
 * batch that only moves the position is delivered at once while the demand is open, and otherwise
 * up to a second late. A demand belongs to one consumer and to one subscription at a time.
 */
export class PositionDemand {
  #isOpen = false;
  #onOpen: (() => void) | null = null;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The consumer waits from now on. */
  open(): void {
    this.#isOpen = true;
    this.#onOpen?.();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** For the subscription. @param onOpen replaces the listener before */
  listen(onOpen: () => void): void {
    this.#onOpen = onOpen;
  }
}
