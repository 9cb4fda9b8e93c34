import { Linked, LinkedList } from '#platform/kernel/linked-list.js';

/** How late a deadline passes at most. */
const STEP_MS = 100;

/** Work that has to end by an instant. */
export abstract class Deadline extends Linked {
  /** The step that it was set for, until it is cancelled. */
  step: Step<Deadline> | undefined = undefined;

  /** Called once, at most a step late; never after `cancel`. */
  abstract onPassed(): void;
}

/** The deadlines that pass together. */
interface Step<D extends Deadline> {
  readonly end: number;
  readonly timer: NodeJS.Timeout;
  readonly open: LinkedList<D>;
}

/**
 * Deadlines of which many are set and few pass, such as the time limits of requests. Those that
 * pass in the same step share one timer of Node, so that a deadline costs no timer of its own. None
 * passes early, and none keeps the process running.
 */
export class Deadlines<D extends Deadline = Deadline> {
  /** By their ends, in steps of the monotonic clock. A step without deadlines has no timer. */
  readonly #steps = new Map<number, Step<D>>();

  constructor(private readonly stepMs = STEP_MS) {}

  /** The deadlines that have neither passed nor been cancelled. */
  open(): D[] {
    return [...this.#steps.values()].flatMap(({ open }) => open.toArray());
  }

  /** Sets a deadline that is not set. */
  set(deadline: D, inMs: number): void {
    const nowMs = performance.now();
    const end = Math.ceil((nowMs + inMs) / this.stepMs);
    const step = this.#steps.get(end) ?? this.#begin(end, nowMs);
    deadline.step = step;
    step.open.add(deadline);
  }

  /** Does nothing for a deadline that has passed or was cancelled. */
  cancel(deadline: D): void {
    const { step } = deadline;
    if (!step) return;
    deadline.step = undefined;
    step.open.delete(deadline);
    if (step.open.newest || this.#steps.get(step.end) !== step) return;
    clearTimeout(step.timer);
    this.#steps.delete(step.end);
  }

  #begin(end: number, nowMs: number): Step<D> {
    const timer = setTimeout(() => this.#pass(end), end * this.stepMs - nowMs).unref();
    const step: Step<D> = { end, timer, open: new LinkedList() };
    this.#steps.set(end, step);
    return step;
  }

  #pass(end: number): void {
    const open = this.#steps.get(end)?.open;
    this.#steps.delete(end);
    for (let passed = open?.newest; passed; passed = open?.newest) {
      open?.delete(passed);
      passed.onPassed();
    }
  }
}
