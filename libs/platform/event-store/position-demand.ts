/** How far a live subscription has come, beside what its consumer has handled. */
export interface Offered {
  /** Everything up to here was delivered, waits for the consumer, or was filtered out. */
  readonly position: bigint;
  /** When the first event that waits was recorded; ISO 8601 UTC, or null where none waits. */
  readonly since: string | null;
}

/**
 * Whether the consumer of a subscription waits for its position. Events are delivered at once; a
 * batch that only moves the position is delivered at once while the demand is open, and otherwise
 * up to a second late. A demand belongs to one consumer and to one subscription at a time.
 */
export class PositionDemand {
  #isOpen = false;
  #onOpen: (() => void) | null = null;
  #offered: (() => Offered | null) | null = null;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Of the subscription; null while it is not live. */
  get offered(): Offered | null {
    return this.#offered?.() ?? null;
  }

  /** The consumer waits from now on. */
  open(): void {
    this.#isOpen = true;
    this.#onOpen?.();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** For the subscription, which replaces the one before. */
  listen(onOpen: () => void, offered: () => Offered | null): void {
    this.#onOpen = onOpen;
    this.#offered = offered;
  }
}
