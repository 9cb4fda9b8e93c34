/** The part of its requests that an overloaded installation admits at the least. */
const SHARE_MIN = 0.05;
/** By each look. */
const SLOWER = 0.9;
const FASTER = 1.15;

/**
 * How many paid requests are admitted, by how far the readers of the log are behind: a tenth fewer
 * with each look while they fall further behind, all of them again within half a minute after.
 */
export class AdmissionPace {
  #share = 1;
  /** A request is admitted where it reaches 1. */
  #credit = 0;
  /** By the last look. After a start, readers catch up: only the second look shows a fall. */
  #lagMs = Infinity;

  /** @param lagMsMax how far the readers may fall behind */
  constructor(private readonly lagMsMax: number) {}

  /** To be called about once a second. */
  look(lagMs: number): void {
    const isBehind = lagMs > this.lagMsMax;
    // Readers that catch up need no further help.
    if (isBehind && lagMs >= this.#lagMs) this.#share = Math.max(SHARE_MIN, this.#share * SLOWER);
    else if (!isBehind) this.#share = Math.min(1, this.#share * FASTER);
    this.#lagMs = lagMs;
  }

  /** Whether one more request is admitted. Spreads the admitted ones evenly. */
  admits(): boolean {
    if (this.#share === 1) return true;
    this.#credit += this.#share;
    if (this.#credit < 1) return false;
    this.#credit -= 1;
    return true;
  }

  get share(): number {
    return this.#share;
  }
}
