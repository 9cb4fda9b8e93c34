import { AccountShares, type ShareLimits } from './account-shares.js';

export interface TurnLimits extends ShareLimits {
  /** Requests of one account that wait for their turn; the next one is rejected. */
  readonly waitingMax: number;
  /** The longest wait for a turn. Default: as long as the request lasts. */
  readonly waitMsMax?: number;
}

/** The turns of accounts at work of this process, of which each has its share. */
export class AccountTurns {
  readonly #shares: AccountShares;

  /** @param busy the error of a request that gets no turn */
  constructor(
    private readonly limits: TurnLimits,
    private readonly busy: (options?: ErrorOptions) => Error,
  ) {
    this.#shares = new AccountShares(limits);
  }

  /** @throws `busy` where a request of the account would not be let wait */
  demand(accountId: string): void {
    if (this.#shares.waitingOf(accountId) >= this.limits.waitingMax) throw this.busy();
  }

  /**
   * Runs work in a turn of the account.
   * @throws `busy` without a turn; the reason of the signal when it aborts first
   */
  async run<Result>(
    accountId: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const endTurn = await this.#enter(accountId, signal);
    try {
      return await work();
    } finally {
      endTurn();
    }
  }

  async #enter(accountId: string, signal?: AbortSignal): Promise<() => void> {
    this.demand(accountId);
    const { waitMsMax } = this.limits;
    const tooLong = waitMsMax === undefined ? undefined : AbortSignal.timeout(waitMsMax);
    const either = [signal, tooLong].filter((one) => one !== undefined);
    try {
      return await this.#shares.enter(accountId, 1, AbortSignal.any(either));
    } catch (error) {
      if (tooLong?.aborted === true && signal?.aborted !== true) throw this.busy({ cause: error });
      throw error;
    }
  }
}

/** Takes the end of a request by its signal for an end without a result. */
export const unlessAborted =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    if (!signal.aborted || error !== signal.reason) throw error;
  };
