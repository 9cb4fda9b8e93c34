import { setImmediate as turn } from 'node:timers/promises';
import { type Timers } from './timers.js';

interface Waiting {
  readonly dueMs: number;
  readonly resolve: (nothing: undefined) => void;
}

/** Turns of the event loop in which streams in memory pass on what they have. */
const TURNS = 12;

/** Time that passes when a test says so: timers fire in order, and streams settle between them. */
export class ManualTimers implements Timers {
  readonly #waiting = new Set<Waiting>();
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  readonly now = (): number => this.#nowMs;

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const waiting = { dueMs: this.#nowMs + Math.max(0, ms), resolve };
    this.#waiting.add(waiting);
    signal?.addEventListener('abort', () => {
      this.#waiting.delete(waiting);
      resolve(undefined);
    });
    return promise;
  }

  async settle(): Promise<void> {
    for (let n = 0; n < TURNS; n += 1) await turn();
  }

  /** @returns how many timers fired */
  async passTo(endMs: number): Promise<number> {
    let fired = 0;
    for (;;) {
      await this.settle();
      const [next] = [...this.#waiting].toSorted((one, other) => one.dueMs - other.dueMs);
      if (!next || next.dueMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#waiting.delete(next);
      next.resolve(undefined);
      fired += 1;
    }
    this.#nowMs = endMs;
    return fired;
  }

  pass(ms: number): Promise<number> {
    return this.passTo(this.#nowMs + ms);
  }
}
