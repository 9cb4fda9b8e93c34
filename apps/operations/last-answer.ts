import { within } from '#platform/kernel/within.js';
import { type Answered } from './answered.js';

/** How long a health check waits for a new answer. */
const WAIT_MS = 250;
/** A server counts as unavailable after this time without an answer. */
const SILENCE_MS_MAX = 1_000;

/**
 * The last answer of a server, for health checks: the server is asked again by each check, once at
 * a time, and a check that gets no answer soon uses the last one.
 */
export class LastAnswer<Answer> {
  #last: Answered<Answer> = { answer: undefined, failure: null };
  #asking: Promise<true> | null = null;
  #askedAtMs = 0;

  constructor(private readonly ask: () => Promise<Answer>) {}

  async get(): Promise<Answered<Answer>> {
    this.#asking ??= this.#askOnce();
    const hasAnswered = await within(this.#asking, WAIT_MS, () => false);
    const silentMs = Math.round(performance.now() - this.#askedAtMs);
    const isSilent = this.#last.answer === undefined || silentMs > SILENCE_MS_MAX;
    if (hasAnswered || !isSilent) return this.#last;
    return { ...this.#last, failure: this.#last.failure ?? `no answer within ${silentMs} ms` };
  }

  async #askOnce(): Promise<true> {
    this.#askedAtMs = performance.now();
    try {
      this.#last = { answer: await this.ask(), failure: null };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      this.#last = { answer: undefined, failure };
    }
    this.#asking = null;
    return true;
  }
}
