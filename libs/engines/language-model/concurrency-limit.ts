import { EngineBusyError } from './language-model.engine.errors.js';

/** `runningMax` requests hold a slot, `waitingMax` wait for one, first come first served. */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
  ) {}

  /**
   * Resolves to true with a slot, which the caller gives back with `leave`, or to false when the
   * signal aborts first. Throws an EngineBusyError when too many wait already.
   */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.running < this.runningMax) {
      this.running += 1;
      return true;
    }
    if (this.waiting.length >= this.waitingMax) throw new EngineBusyError(this.waitingMax);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.waiting.splice(this.waiting.indexOf(proceed), 1);
        resolve(false);
      };
      const proceed = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      this.waiting.push(proceed);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Passes the slot to the request that has waited longest. */
  leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}
