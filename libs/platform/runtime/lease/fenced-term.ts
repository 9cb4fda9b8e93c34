import { type LeadershipTerm } from './leadership.port.js';

/**
 * A leadership term. It may be used for `validMs` from when its last renewal began. After that it
 * rests until the next renewal succeeds, under the same token: no other process has begun a term.
 * It is over once another process has, or this one stops.
 */
export class FencedTerm implements LeadershipTerm {
  /** Resolves when the term is over. */
  readonly over: Promise<void>;
  #resolveOver: () => void = () => undefined;
  #validUntil: number;
  #isOver = false;
  #isEnding = false;
  /** Wake the callers that wait for a renewal, or for the end. */
  #waiting: (() => void)[] = [];

  /**
   * @param renewedAt when the renewal that began the term began
   * @param nowMs monotonic milliseconds, as `renewedAt`
   */
  constructor(
    readonly token: bigint,
    private readonly validMs: number,
    renewedAt: number,
    private readonly nowMs: () => number,
  ) {
    this.over = new Promise((resolve) => (this.#resolveOver = resolve));
    this.#validUntil = renewedAt + validMs;
  }

  isHeld(): boolean {
    return !this.#isOver && this.nowMs() < this.#validUntil;
  }

  isOver(): boolean {
    return this.#isOver;
  }

  async held(): Promise<boolean> {
    while (!this.isHeld() && !this.#isOver && !this.#isEnding) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.isHeld();
  }

  /** @param beganAt when the renewal that has now succeeded began */
  renewed(beganAt: number): void {
    this.#validUntil = beganAt + this.validMs;
    this.#wake();
  }

  /** The process stops: it uses the rest of the term, and waits for no renewal. */
  endsSoon(): void {
    this.#isEnding = true;
    this.#wake();
  }

  lost(): void {
    this.#isOver = true;
    this.#resolveOver();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
