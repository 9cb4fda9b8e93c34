import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type AccountCommand, accountDecider } from '../account.decider.js';
import { type AccountState } from '../account.state.js';
import { type Accounts, accountStream } from '../accounts.js';

/** Requests of one account that wait for its money. */
export const WAITING_PER_ACCOUNT_MAX = 1_000;
/** Requests of all accounts that wait for money. */
export const WAITING_MAX = 10_000;
/** Between two reads of the accounts, for changes by other processes. */
const REREAD_MS = 50;
/** An account is searched for requests that fit until this many did not. */
const MISFITS_MAX = 8;

export type PlaceHold = AccountCommand & { readonly type: 'PlaceHold' };
type Placed = Awaited<ReturnType<Accounts['run']>>;

interface Waiting {
  readonly command: PlaceHold;
  /** Ends the pause of the request; undefined while its hold is being placed. */
  resume: (() => void) | undefined;
}

/**
 * Requests that the balance of their account would cover but for the holds of other requests. When
 * money comes back, the requests that fit are placed, the oldest first. Only the decider admits, at
 * the revision of that moment: this queue chooses when it is asked again.
 */
export class WaitingHolds {
  readonly #byAccount = new Map<string, Set<Waiting>>();
  readonly #due = new Set<string>();
  #count = 0;
  #isReading = false;

  constructor(
    private readonly accounts: Accounts,
    private readonly waitMsMax: number,
  ) {}

  /** Whether another request of the account may wait. */
  hasRoom(accountId: string): boolean {
    const ofAccount = this.#byAccount.get(accountId)?.size ?? 0;
    return this.waitMsMax > 0 && this.#count < WAITING_MAX && ofAccount < WAITING_PER_ACCOUNT_MAX;
  }

  /**
   * Places a hold that was rejected once, where waiting helps.
   * @param place runs the command; each call is another try
   * @param signal ends the wait
   * @throws the error of the last try; the reason of the signal
   */
  async placeLater(
    rejection: unknown,
    command: PlaceHold,
    place: () => Promise<Placed>,
    signal: AbortSignal,
  ): Promise<Placed> {
    const { accountId } = command.data;
    if (!isInFlight(rejection) || !this.hasRoom(accountId)) throw rejection;
    const waiting: Waiting = { command, resume: undefined };
    const untilMs = performance.now() + this.waitMsMax;
    this.#add(accountId, waiting);
    try {
      for (;;) {
        const isLast = !(await this.#isResumed(waiting, untilMs - performance.now(), signal));
        try {
          // Also when the time is up: a busy process may have seen no end of a hold in between.
          return await place();
        } catch (error) {
          if (isLast || !isInFlight(error)) throw error;
        }
      }
    } finally {
      this.#remove(accountId, waiting);
    }
  }

  /** To call when a hold of the account has ended. */
  ended(accountId: string): void {
    if (!this.#byAccount.has(accountId) || this.#due.has(accountId)) return;
    // Holds that end in one append are looked at together.
    this.#due.add(accountId);
    setImmediate(() => {
      this.#due.delete(accountId);
      this.#resumeFitting(accountId);
    });
  }

  /** False when the time is up. @throws the reason of the signal */
  #isResumed(waiting: Waiting, msLeft: number, signal: AbortSignal): Promise<boolean> {
    return new Promise<boolean>((resolve, reject) => {
      signal.throwIfAborted();
      const end = (): void => {
        waiting.resume = undefined;
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      };
      const leave = (): void => {
        end();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(
        () => {
          end();
          resolve(false);
        },
        Math.max(msLeft, 0),
      );
      signal.addEventListener('abort', leave, { once: true });
      waiting.resume = () => {
        end();
        resolve(true);
      };
      // A hold may have ended between the rejection and this line.
      this.ended(waiting.command.data.accountId);
    });
  }

  #resumeFitting(accountId: string): void {
    let state = this.accounts.lastStateOf(accountStream(accountId));
    if (!state) return;
    let misfits = 0;
    for (const waiting of this.#byAccount.get(accountId) ?? []) {
      const next = placedOn(state, waiting.command);
      if (next) {
        state = next;
        waiting.resume?.();
      } else {
        misfits += 1;
        if (misfits === MISFITS_MAX) return;
      }
    }
  }

  #add(accountId: string, waiting: Waiting): void {
    const ofAccount = this.#byAccount.get(accountId) ?? new Set();
    ofAccount.add(waiting);
    this.#byAccount.set(accountId, ofAccount);
    this.#count += 1;
    if (!this.#isReading) void this.#readWhileWaiting();
  }

  #remove(accountId: string, waiting: Waiting): void {
    const ofAccount = this.#byAccount.get(accountId);
    if (!ofAccount?.delete(waiting)) return;
    this.#count -= 1;
    if (ofAccount.size === 0) this.#byAccount.delete(accountId);
  }

  /** Sees what other processes, deposits and expired holds give back. One read at a time. */
  async #readWhileWaiting(): Promise<void> {
    this.#isReading = true;
    while (this.#count > 0) {
      await sleep(REREAD_MS, undefined, { ref: false });
      for (const accountId of [...this.#byAccount.keys()]) {
        // A request that cannot be placed for this reason ends with its own error.
        await this.accounts.stateOf(accountStream(accountId)).catch(() => undefined);
        this.ended(accountId);
      }
    }
    this.#isReading = false;
  }
}

/**
 * The state with the hold; undefined where the hold has to wait longer. A rejection that waiting
 * does not change leaves the state as it is: the next try throws it.
 */
const placedOn = (state: AccountState, command: PlaceHold): AccountState | undefined => {
  try {
    return accountDecider.decide(command, state).reduce(accountDecider.evolve, state);
  } catch (error) {
    return isInFlight(error) ? undefined : state;
  }
};

const isInFlight = (error: unknown): boolean =>
  error instanceof DomainError && error.metadata?.['reason'] === 'in_flight';
