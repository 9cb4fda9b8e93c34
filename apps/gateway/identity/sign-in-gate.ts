import { type Clock } from '#platform/kernel/clock.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';

/** Sections 5.8 and 8 of the interface. */
export const FAILURES_MAX = 5;
export const WINDOW_SECONDS = 300;

const ADDRESSES_MAX = 100_000;
/** SignIns of one address that may queue; they take some seconds. */
export const WAITING_MAX = 256;

/** `failed-often`: the address has no attempts left. `busy`: its queue is full. */
export type SignInVerdict = 'entered' | 'failed-often' | 'busy';

/** Counts the attempts of each address, in this process or for several gateways. */
export interface SignInGate {
  /** Waits while other attempts of the address run that may all fail. */
  enter(address: string): Promise<SignInVerdict>;

  /** Once for each attempt that has entered. */
  leave(address: string, failed: boolean): void;
}

interface SignIns {
  /** The instant of each failure, oldest first; milliseconds since the Unix epoch. */
  failedAtMs: number[];
  running: number;
  readonly waiting: (() => void)[];
}

/** Counts in the memory of this process. */
export class LocalSignIns implements SignInGate {
  readonly #addresses = growingCache<SignIns>(ADDRESSES_MAX);

  constructor(private readonly clock: Clock) {}

  async enter(address: string): Promise<SignInVerdict> {
    const attempts = this.#attemptsOf(address);
    for (;;) {
      const since = this.clock.now() - WINDOW_SECONDS * 1_000;
      attempts.failedAtMs = attempts.failedAtMs.filter((failedAtMs) => failedAtMs > since);
      const failures = attempts.failedAtMs.length;
      if (failures >= FAILURES_MAX) return 'failed-often';
      if (failures + attempts.running < FAILURES_MAX) {
        attempts.running += 1;
        return 'entered';
      }
      if (attempts.waiting.length >= WAITING_MAX) return 'busy';
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
  }

  leave(address: string, failed: boolean): void {
    const attempts = this.#attemptsOf(address);
    if (failed) attempts.failedAtMs.push(this.clock.now());
    attempts.running = Math.max(0, attempts.running - 1);
    for (const wake of attempts.waiting.splice(0)) wake();
  }

  #attemptsOf(address: string): SignIns {
    const known = this.#addresses.get(address);
    if (known) return known;
    const attempts: SignIns = { failedAtMs: [], running: 0, waiting: [] };
    this.#addresses.set(address, attempts);
    return attempts;
  }
}
