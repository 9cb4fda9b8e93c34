const MS_PER_SECOND = 1_000;

/** Counts messages of one connection in each second. */
export class MessageRate {
  #second = -1;
  #messages = 0;

  constructor(private readonly perSecondMax: number) {}

  /** False for a message above the limit. */
  allows(nowMs: number): boolean {
    const second = Math.floor(nowMs / MS_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#messages = 0;
    }
    this.#messages += 1;
    return this.#messages <= this.perSecondMax;
  }
}
