import { Inject, Injectable } from '@nestjs/common';
import { AUTHENTICATION_BUSY } from '#areas/identity/identity.failures.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { HttpFailure } from '../errors/http-failure.js';
import { type SignInGate, LocalSignIns, WINDOW_SECONDS } from './sign-in-gate.js';

const RETRY_AFTER_BUSY_SECONDS = 1;

/**
 * Counts the failed attempts of each address. Running attempts count as failed until they end, and
 * later ones queue behind them, so a parallel burst gets no more attempts than a sequence. A
 * success does not reset the count: otherwise a user could guess another user's password without
 * limit.
 *
 * The processes of one port share the count (`share`). Gateways on several machines behind one
 * address each count their own.
 */
@Injectable()
export class SignInThrottle {
  #gate: SignInGate;

  constructor(@Inject(CLOCK) clock: Clock) {
    this.#gate = new LocalSignIns(clock);
  }

  /** Counts with other gateways from now on. */
  share(gate: SignInGate): void {
    this.#gate = gate;
  }

  /**
   * @param isFailure whether an error is a failed attempt; a malformed request is not
   * @throws HttpFailure 429 when the address has no attempts left, 503 when its queue is full
   */
  async attempt<T>(
    address: string,
    run: () => T | Promise<T>,
    isFailure: (error: unknown) => boolean,
  ): Promise<T> {
    const gate = this.#gate;
    const verdict = await gate.enter(address);
    if (verdict === 'failed-often') throw tooManyAttempts();
    if (verdict === 'busy') throw tooManyAtOnce();
    let failed = false;
    try {
      return await run();
    } catch (error) {
      failed = isFailure(error);
      throw error;
    } finally {
      gate.leave(address, failed);
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

const tooManyAtOnce = (): HttpFailure =>
  new HttpFailure({
    status: 503,
    code: AUTHENTICATION_BUSY,
    message: 'Too many attempts of this address at the same time; try again.',
    retryAfterSeconds: RETRY_AFTER_BUSY_SECONDS,
  });
