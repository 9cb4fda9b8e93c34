import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { HttpFailure } from '../errors/http-failure.js';

/** Sections 5.8 and 8 of the interface. */
export const FAILURES_MAX = 5;
const WINDOW_SECONDS = 300;

const ADDRESSES_MAX = 100_000;
/** Attempts of one address that may queue. */
const WAITING_MAX = 32;

interface Attempts {
  /** The instant of each failure, oldest first; milliseconds since the Unix epoch. */
  failedAtMs: number[];
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Counts the failed attempts of each address. Running attempts count as failed until they end, and
 * later ones queue behind them, so a parallel burst gets no more attempts than a sequence. A
 * success does not reset the count: otherwise a user could guess another user's password without
 * limit.
 *
 * The count is per process: with several gateways behind one address, each counts its own.
 */
@Injectable()
export class AttemptThrottle {
  readonly #addresses = new LRUCache<string, Attempts>({ max: ADDRESSES_MAX });

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /**
   * @param isFailure whether an error is a failed attempt; a malformed request is not
   * @throws HttpFailure 429 when the address has no attempts left
   */
  async attempt<T>(
    address: string,
    run: () => T | Promise<T>,
    isFailure: (error: unknown) => boolean,
  ): Promise<T> {
    const attempts = this.#attemptsOf(address);
    await this.#enter(attempts);
    try {
      return await run();
    } catch (error) {
      if (isFailure(error)) attempts.failedAtMs.push(this.clock.now());
      throw error;
    } finally {
      attempts.running -= 1;
      for (const wake of attempts.waiting.splice(0)) wake();
    }
  }

  #attemptsOf(address: string): Attempts {
    const known = this.#addresses.get(address);
    if (known) return known;
    const attempts: Attempts = { failedAtMs: [], running: 0, waiting: [] };
    this.#addresses.set(address, attempts);
    return attempts;
  }

  async #enter(attempts: Attempts): Promise<void> {
    for (;;) {
      const since = this.clock.now() - WINDOW_SECONDS * 1_000;
      attempts.failedAtMs = attempts.failedAtMs.filter((failedAtMs) => failedAtMs > since);
      const failures = attempts.failedAtMs.length;
      if (failures >= FAILURES_MAX) throw tooManyAttempts();
      if (failures + attempts.running < FAILURES_MAX) {
        attempts.running += 1;
        return;
      }
      if (attempts.waiting.length >= WAITING_MAX) throw tooManyAttempts();
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
  }
}

const tooManyAttempts = (): HttpFailure =>
  new HttpFailure({
    status: 429,
    code: 'too_many_attempts',
    message: 'Too many failed attempts from this address; try again later.',
    retryAfterSeconds: WINDOW_SECONDS,
  });
