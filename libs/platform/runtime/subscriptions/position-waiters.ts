import { type Position } from '#platform/event-store/event-store.port.js';

interface Waiter {
  readonly position: Position;
  readonly settle: (reached: boolean) => void;
}

/** Callers that wait until a subscription has reached a position in the log. */
export class PositionWaiters {
  #waiters: Waiter[] = [];

  get count(): number {
    return this.#waiters.length;
  }

  /** Resolves to whether the position was reached within the time. */
  wait(position: Position, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        settle: (reached) => {
          clearTimeout(timer);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => {
        this.#waiters = this.#waiters.filter((one) => one !== waiter);
        resolve(false);
      }, timeoutMs);
      this.#waiters.push(waiter);
    });
  }

  reached(position: Position): void {
    if (this.#waiters.length === 0) return;
    const reached = this.#waiters.filter((waiter) => waiter.position <= position);
    this.#waiters = this.#waiters.filter((waiter) => waiter.position > position);
    for (const { settle } of reached) settle(true);
  }

  /** The subscription has ended: no position will be reached. */
  giveUp(): void {
    for (const { settle } of this.#waiters.splice(0)) settle(false);
  }
}
