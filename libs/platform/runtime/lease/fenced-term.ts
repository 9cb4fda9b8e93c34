import { type LeadershipTerm } from './leadership.port.js';

/**
 * A leadership term. It lasts for `validMs` from when its last renewal began, and ends for good.
 */
export class FencedTerm implements LeadershipTerm {
  /** Resolves when the term is over. */
  readonly over: Promise<void>;
  #resolveOver: () => void = () => undefined;
  #validUntil: number;
  #over = false;
  #expiring: NodeJS.Timeout | undefined;

  /**
   * @param renewedAt when the append that took the lease began
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
    this.#watch();
  }

  isHeld(): boolean {
    // The clock, not the timer: after a standstill, code may run before the timer fires.
    if (!this.#over && this.nowMs() >= this.#validUntil) this.lost();
    return !this.#over;
  }

  /** @param beganAt when the renewal that has now succeeded began */
  renewed(beganAt: number): void {
    if (!this.isHeld()) return;
    this.#validUntil = beganAt + this.validMs;
    this.#watch();
  }

  lost(): void {
    this.#over = true;
    clearTimeout(this.#expiring);
    this.#resolveOver();
  }

  #watch(): void {
    clearTimeout(this.#expiring);
    const left = Math.max(0, this.#validUntil - this.nowMs());
    this.#expiring = setTimeout(() => {
      // Timers may fire a fraction of a millisecond early.
      if (this.isHeld()) this.#watch();
    }, left).unref();
  }
}
