/** Frames whose times are kept. */
const KEPT_MAX = 32;
const KEPT_MS = 5_000;
const MS_PER_SECOND = 1_000;

/** The measured rate of the last frames. */
export class FrameRate {
  readonly #atMs: number[] = [];

  add(nowMs: number): void {
    this.#atMs.push(nowMs);
    if (this.#atMs.length > KEPT_MAX) this.#atMs.shift();
  }

  /** Frames in a second; null with fewer than two frames in the last five seconds. */
  at(nowMs: number): number | null {
    const recent = this.#atMs.filter((one) => nowMs - one <= KEPT_MS);
    const [first] = recent;
    const last = recent.at(-1);
    if (first === undefined || last === undefined || last === first) return null;
    return ((recent.length - 1) * MS_PER_SECOND) / (last - first);
  }
}
