import { EngineBusyError } from './language-model.engine.errors.js';

/** Interactive requests go before the requests of batches. */
export type Priority = 'interactive' | 'batch';

interface Waiting {
  readonly priority: Priority;
  readonly proceed: () => void;
  readonly turnAway: () => void;
}

/**
 * `runningMax` requests hold a slot, `waitingMax` wait for one: interactive ones first, and first
 * come first served among equals. When too many wait, a request of a batch makes room for an
 * interactive one.
 */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
  ) {}

  /**
   * Resolves to true with a slot, which the caller gives back with `leave`, or to false when the
   * signal aborts first.
   * @throws EngineBusyError when too many wait already, or when others need the room
   */
  async enter(signal: AbortSignal, priority: Priority = 'interactive'): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.running < this.runningMax) {
      this.running += 1;
      return true;
    }
    if (this.waiting.length >= this.waitingMax) this.makeRoom(priority);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        resolve(false);
      };
      const waiting: Waiting = {
        priority,
        proceed: () => {
          end();
          resolve(true);
        },
        turnAway: () => {
          end();
          reject(new EngineBusyError(this.waitingMax));
        },
      };
      this.waiting.push(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Passes the slot to the request that is next. */
  leave(): void {
    const interactive = this.waiting.findIndex(({ priority }) => priority === 'interactive');
    const [next] = this.waiting.splice(Math.max(interactive, 0), 1);
    if (next === undefined) this.running -= 1;
    else next.proceed();
  }

  private makeRoom(priority: Priority): void {
    const last = this.waiting.findLastIndex((one) => one.priority === 'batch');
    if (priority === 'batch' || last === -1) throw new EngineBusyError(this.waitingMax);
    const [turnedAway] = this.waiting.splice(last, 1);
    turnedAway?.turnAway();
  }
}
