import { FairQueue } from './fair-queue.js';

export interface FairTurnsLimits {
  /** Turns at once. */
  readonly runningMax: number;
  /** Of these, of one account. */
  readonly runningPerAccountMax: number;
  /** Requests that wait for a turn; the next one is refused. */
  readonly waitingMax: number;
  /** Of these, of one account. */
  readonly waitingPerAccountMax: number;
  /** The longest wait for a turn. */
  readonly waitMsMax: number;
}

/** There is no turn now; the message says why. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
}

/** Gives a turn back. A second call does nothing. */
export type EndTurn = () => void;

interface Waiting {
  readonly account: string;
  readonly begin: () => void;
}

/** Hands out a bounded number of turns: to accounts in rounds, and to each only its share. */
export class FairTurns {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #running = new Map<string, number>();
  #runningTotal = 0;

  constructor(private readonly limits: FairTurnsLimits) {}

  get running(): number {
    return this.#runningTotal;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Null when the signal aborts before the turn. @throws NoTurnError */
  async take(account: string, signal: AbortSignal): Promise<EndTurn | null> {
    if (signal.aborted) return null;
    if (this.#mayBegin(account)) return this.#begin(account);
    this.#demandRoom(account);
    return this.#wait(account, signal);
  }

  #mayBegin(account: string): boolean {
    const { runningMax, runningPerAccountMax } = this.limits;
    const ofAccount = this.#running.get(account) ?? 0;
    return this.#runningTotal < runningMax && ofAccount < runningPerAccountMax;
  }

  #begin(account: string): EndTurn {
    this.#count(account, 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#count(account, -1);
      this.#waiting.serve((next) => {
        const isServed = this.#mayBegin(next.account);
        if (isServed) next.begin();
        return isServed;
      });
    };
  }

  #count(account: string, change: 1 | -1): void {
    this.#runningTotal += change;
    const running = (this.#running.get(account) ?? 0) + change;
    if (running === 0) this.#running.delete(account);
    else this.#running.set(account, running);
  }

  #demandRoom(account: string): void {
    const { waitingMax, waitingPerAccountMax } = this.limits;
    if (this.#waiting.sizeOf(account) >= waitingPerAccountMax) {
      throw new NoTurnError(`${waitingPerAccountMax} requests of this account wait already`);
    }
    if (this.#waiting.size >= waitingMax) {
      throw new NoTurnError(`${waitingMax} requests wait already`);
    }
  }

  #wait(account: string, signal: AbortSignal): Promise<EndTurn | null> {
    const { promise, resolve, reject } = Promise.withResolvers<EndTurn | null>();
    const end = (): void => {
      this.#waiting.delete(account, waiting);
      signal.removeEventListener('abort', leave);
      clearTimeout(timer);
    };
    const waiting: Waiting = {
      account,
      begin: () => {
        end();
        resolve(this.#begin(account));
      },
    };
    const leave = (): void => {
      end();
      resolve(null);
    };
    const { waitMsMax } = this.limits;
    const timer = setTimeout(() => {
      end();
      reject(new NoTurnError(`no turn came within ${waitMsMax} ms`));
    }, waitMsMax);
    this.#waiting.add(account, waiting);
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  }
}
