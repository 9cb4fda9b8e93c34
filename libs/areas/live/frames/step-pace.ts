/** Fewer steps give a coarser picture. */
export const STEPS_MAX = 8;
const STEPS_FIRST = 2;
/** The part of the time of a frame that its drawing may take; the rest is for its file. */
const DRAWING_SHARE = 0.8;
/** The weight of the newest measurement. */
const NEWEST = 0.3;
const MS_PER_SECOND = 1_000;

/** Holds a frame rate by the steps of the sampler, from the measured time of a step. */
export class StepPace {
  #stepMs: number | null = null;
  readonly #budgetMs: number;

  constructor(targetFps: number) {
    this.#budgetMs = (MS_PER_SECOND / targetFps) * DRAWING_SHARE;
  }

  /** Of the next frame. */
  get steps(): number {
    if (this.#stepMs === null) return STEPS_FIRST;
    return Math.max(1, Math.min(STEPS_MAX, Math.floor(this.#budgetMs / this.#stepMs)));
  }

  measured(steps: number, elapsedMs: number): void {
    const stepMs = Math.max(elapsedMs / steps, Number.EPSILON);
    this.#stepMs = this.#stepMs === null ? stepMs : this.#stepMs + NEWEST * (stepMs - this.#stepMs);
  }
}
