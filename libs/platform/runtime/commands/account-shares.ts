import { FairQueue } from '#platform/kernel/fair-queue.js';

export interface ShareLimits {
  /** Of all accounts together. */
  readonly total: number;
  readonly perAccount: number;
  /**
   * Above the total, for accounts that have nothing: however much others hold, an account has
   * something.
   */
  readonly reserve: number;
}

interface Waiting {
  readonly account: string;
  readonly weight: number;
  readonly enter: () => void;
}

/**
 * Divides a resource of the process, such as slots or bytes, among accounts. None can hold more
 * than its share, and waiting accounts take turns.
 */
export class AccountShares {
  readonly #held = new Map<string, number>();
  readonly #waiting = new FairQueue<Waiting>();
  #total = 0;

  constructor(private readonly limits: ShareLimits) {}

  get total(): number {
    return this.#total;
  }

  /** The number of entries of an account that wait in `enter`. */
  waitingOf(account: string): number {
    return this.#waiting.sizeOf(account);
  }

  /**
   * Waits until the account may hold `weight` more.
   * @returns a function that gives the share back; a second call does nothing
   * @throws the reason of the signal
   */
  enter(account: string, weight: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leaveQueue = (): void => {
        this.#waiting.delete(account, waiting);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leaveQueue);
        resolve(this.#take(account, weight));
      };
      const waiting: Waiting = { account, weight, enter };
      signal.addEventListener('abort', leaveQueue, { once: true });
      this.#waiting.add(account, waiting);
      this.#serve();
    });
  }

  #serve(): void {
    this.#waiting.serve(({ account, weight, enter }) => {
      if (!this.#fits(account, weight)) return false;
      enter();
      return true;
    });
  }

  #fits(account: string, weight: number): boolean {
    const { total, perAccount, reserve } = this.limits;
    const own = this.#held.get(account) ?? 0;
    if (own === 0) return this.#total + weight <= total + reserve;
    return own + weight <= perAccount && this.#total + weight <= total;
  }

  #take(account: string, weight: number): () => void {
    this.#add(account, weight);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(account, -weight);
      this.#serve();
    };
  }

  #add(account: string, weight: number): void {
    this.#total += weight;
    const own = (this.#held.get(account) ?? 0) + weight;
    if (own === 0) this.#held.delete(account);
    else this.#held.set(account, own);
  }
}
