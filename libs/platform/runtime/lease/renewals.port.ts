import { type LeaseState } from './lease.decider.js';

/** Another process holds the lease, or will: no renewal under this token succeeds any more. */
export class TermOverError extends Error {
  override readonly name = 'TermOverError';
}

/** How processes compete: a holder renews where the others see it. The log numbers the terms. */
export interface Renewals {
  readonly election: 'log' | 'etcd';

  /**
   * Whether this process may take the lease over the token of this state. Called at each poll while
   * it holds no lease.
   */
  mayTake(state: LeaseState): Promise<boolean>;

  /**
   * Begins a term: from here on no renewal under an earlier token succeeds.
   * @returns whether the holder before has renewed after `mayTake` had found it silent: it may go
   *   on for the rest of its time
   * @throws TermOverError
   */
  claim(token: bigint): Promise<boolean>;
  /** @throws TermOverError */
  renew(token: bigint): Promise<void>;

  /** This process competes no more. Never rejects. */
  leave(): Promise<void>;

  /** The processes that compete, as far as the election knows them at the last poll. */
  candidates(): number | null;
}
