import { type Clock } from '#platform/kernel/clock.js';
import { type AnswerEntries, type RequestAttemptRef } from './answer-entries.port.js';
import { type AnswerTimes } from './answer-store.port.js';

/**
 * Renews the leases of the attempts that run in this process, all of them in one call. An attempt
 * whose process is killed or hangs is not renewed and lapses.
 */
export class RequestLeases {
  readonly #held = new Set<RequestAttemptRef>();
  #timer: NodeJS.Timeout | null = null;
  #renewing: Promise<unknown> | null = null;

  constructor(
    private readonly entries: Pick<AnswerEntries, 'renew'>,
    private readonly clock: Clock,
    private readonly times: Pick<AnswerTimes, 'leaseMs' | 'heartbeatMs'>,
  ) {}

  get held(): readonly RequestAttemptRef[] {
    return [...this.#held];
  }

  hold(ref: RequestAttemptRef): void {
    this.#held.add(ref);
    this.#timer ??= setInterval(() => this.#beat(), this.times.heartbeatMs).unref();
  }

  release(ref: RequestAttemptRef): void {
    this.#held.delete(ref);
    if (this.#held.size === 0) this.stop();
  }

  /** Resolves when no renewal is under way that could still reach a released attempt. */
  async quiet(): Promise<void> {
    await this.#renewing;
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  leaseEndsAtMs(): number {
    return Math.trunc(this.clock.now()) + this.times.leaseMs;
  }

  #beat(): void {
    // A store that does not answer gets one question at a time.
    this.#renewing ??= this.entries
      .renew(this.held, this.leaseEndsAtMs())
      // The next beat tries again. What lapses meanwhile is settled by its retry.
      .catch(() => undefined)
      .finally(() => (this.#renewing = null));
  }
}
