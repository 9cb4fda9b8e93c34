import { Injectable } from '@nestjs/common';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { CleanroomFailure } from '../cleanrooms.failures.js';

/** Attestations, deposits and evaluations at once, of all accounts and of one. */
const SHARES = { total: 8, perAccount: 2, reserve: 4 };
/** Requests of one account that wait for their turn; the next one is rejected. */
export const WAITING_PER_ACCOUNT_MAX = 16;
/** The longest wait for a turn. */
export const TURN_MS_MAX = 10_000;

/** Divides the work of clean rooms in this process among accounts, which take turns. */
@Injectable()
export class RoomTurns {
  readonly #shares = new AccountShares(SHARES);

  /**
   * Runs work in a turn of the account.
   * @throws CleanroomFailure `busy`; the reason of the signal when it aborts first
   */
  async run<Result>(
    accountId: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#shares.waitingOf(accountId) >= WAITING_PER_ACCOUNT_MAX) throw busy();
    const tooLong = AbortSignal.timeout(TURN_MS_MAX);
    const waited = signal ? AbortSignal.any([signal, tooLong]) : tooLong;
    const endTurn = await this.#shares.enter(accountId, 1, waited).catch((error: unknown) => {
      if (tooLong.aborted && signal?.aborted !== true) throw busy({ cause: error });
      throw error;
    });
    try {
      return await work();
    } finally {
      endTurn();
    }
  }
}

const busy = (options?: ErrorOptions): CleanroomFailure =>
  new CleanroomFailure('busy', 'too many requests wait; try again', options);
