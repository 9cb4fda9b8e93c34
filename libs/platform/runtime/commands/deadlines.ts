/** How late a deadline passes at most. */
const STEP_MS = 100;

/** The deadlines that pass together. */
interface Step {
  readonly timer: NodeJS.Timeout;
  readonly open: Set<Deadline>;
}

/** A deadline that was set. */
export class Deadline {
  /** @param end of its step */
  constructor(
    readonly end: number,
    readonly onPassed: () => void,
  ) {}
}

/**
 * Deadlines of which many are set and few pass, such as the time limits of requests. Those that
 * pass in the same step share one timer of Node, so that a deadline costs no timer of its own. None
 * passes early, and none keeps the process running.
 */
export class Deadlines {
  /** By their ends, in steps of the monotonic clock. A step without deadlines has no timer. */
  readonly #steps = new Map<number, Step>();

  constructor(private readonly stepMs = STEP_MS) {}

  /** @param onPassed called once, at most a step late; never after `cancel` */
  set(inMs: number, onPassed: () => void): Deadline {
    const nowMs = performance.now();
    const end = Math.ceil((nowMs + inMs) / this.stepMs);
    const deadline = new Deadline(end, onPassed);
    const { open } = this.#steps.get(end) ?? this.#begin(end, nowMs);
    open.add(deadline);
    return deadline;
  }

  /** Does nothing for a deadline that has passed or was cancelled. */
  cancel(deadline: Deadline): void {
    const step = this.#steps.get(deadline.end);
    if (!step?.open.delete(deadline) || step.open.size > 0) return;
    clearTimeout(step.timer);
    this.#steps.delete(deadline.end);
  }

  #begin(end: number, nowMs: number): Step {
    const timer = setTimeout(() => this.#pass(end), end * this.stepMs - nowMs).unref();
    const step: Step = { timer, open: new Set() };
    this.#steps.set(end, step);
    return step;
  }

  #pass(end: number): void {
    const step = this.#steps.get(end);
    this.#steps.delete(end);
    for (const { onPassed } of step?.open ?? []) onPassed();
  }
}
