import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { HttpFailure } from '../errors/http-failure.js';

/** Sections 5.8 and 8 of the interface. */
export const FAILURES_MAX = 5;
export const WINDOW_SECONDS = 300;

const ADDRESSES_MAX = 100_000;
/** Attempts of one address that may wait for those before them. */
const WAITING_MAX = 32;

interface Attempts {
  /** When each failed, oldest first; milliseconds since the Unix epoch. */
  failedAtMs: number[];
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Counts the failed attempts of each address. Those under way count as if they had failed, and later
 * ones wait for them, so a burst sent at once gets no more tries than one sent in a row. A success
 * frees its place but forgives nothing: else everybody with an account had endless tries at another's.
 *
 * It lives in this process: with several behind one address, each allows its own.
 */
@Injectable()
export class AttemptThrottle {
  readonly #addresses = new LRUCache<string, Attempts>({ max: ADDRESSES_MAX });

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /**
   * @param isFailure whether what was thrown is a failed attempt; a malformed request is none
   * @throws HttpFailure 429 once the address has no tries left
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
      attempts.underWay -= 1;
      for (const wake of attempts.waiting.splice(0)) wake();
    }
  }

  #attemptsOf(address: string): Attempts {
    const known = this.#addresses.get(address);
    if (known) return known;
    const attempts: Attempts = { failedAtMs: [], underWay: 0, waiting: [] };
    this.#addresses.set(address, attempts);
    return attempts;
  }

  async #enter(attempts: Attempts): Promise<void> {
    for (;;) {
      const since = this.clock.now() - WINDOW_SECONDS * 1_000;
      attempts.failedAtMs = attempts.failedAtMs.filter((failedAtMs) => failedAtMs > since);
      const failures = attempts.failedAtMs.length;
      if (failures >= FAILURES_MAX) throw tooManyAttempts();
      if (failures + attempts.underWay < FAILURES_MAX) {
        attempts.underWay += 1;
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
