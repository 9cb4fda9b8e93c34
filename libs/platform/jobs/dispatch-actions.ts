import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';

/** The pauses before an action that failed is tried again. */
const RETRIES: BackOff = { firstMs: 200, maxMs: 10_000, jitter: 0.5 };
/** After an action succeeded, until the log must show it. */
const SETTLED_MS = 2_000;
/** Actions that run at once; the others are asked for again. */
const RUNNING_MAX = 64;

interface Rest {
  readonly failures: number;
  readonly untilMs: number;
}

export interface DispatchActionsOptions {
  readonly nowMs: () => number;
  /** An action has ended, and another one may be due. */
  readonly onEnd: () => void;
  /** Called for the first of consecutive failures of an action. */
  readonly onFailure: (error: unknown, key: string) => void;
}

/**
 * Runs what is due, each action once at a time. An action that failed is retried with back-off, by
 * being asked for again; one that succeeded rests until the log shows its effect.
 */
export class DispatchActions {
  readonly #running = new Map<string, Promise<void>>();
  readonly #resting = new Map<string, Rest>();
  #isStopped = false;

  constructor(private readonly options: DispatchActionsOptions) {}

  /**
   * @param isBounded false for actions that are few by their nature
   * @returns whether the action starts now
   */
  run(key: string, work: () => Promise<void>, isBounded = true): boolean {
    if (this.#isStopped || this.#running.has(key)) return false;
    if (isBounded && this.#running.size >= RUNNING_MAX) return false;
    const rest = this.#resting.get(key);
    if (rest && rest.untilMs > this.options.nowMs()) return false;
    const running = this.#attempt(key, work, rest?.failures ?? 0).finally(() => {
      this.#running.delete(key);
      this.options.onEnd();
    });
    this.#running.set(key, running);
    return true;
  }

  /** Forgets actions that were not asked for again. */
  expire(): void {
    const nowMs = this.options.nowMs();
    for (const [key, { untilMs }] of this.#resting) {
      if (untilMs + RETRIES.maxMs < nowMs) this.#resting.delete(key);
    }
  }

  /** Starts nothing more; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running.values());
  }

  async #attempt(key: string, work: () => Promise<void>, failures: number): Promise<void> {
    const { nowMs, onFailure } = this.options;
    try {
      await work();
      this.#resting.set(key, { failures: 0, untilMs: nowMs() + SETTLED_MS });
    } catch (error) {
      if (failures === 0) onFailure(error, key);
      const pauseMs = backOffMs(RETRIES, failures + 1, Math.random());
      this.#resting.set(key, { failures: failures + 1, untilMs: nowMs() + pauseMs });
    }
  }
}
