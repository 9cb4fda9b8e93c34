import { type ReaderGroup } from './reader-groups.js';

/** The leases of all groups of readers, as this process competes for them. */
export interface ReaderLeases {
  /** Competes until `stop`. Called once. */
  start(handlerOf: (group: ReaderGroup) => TermHandler): void;

  /** Ends all terms and releases their leases. */
  stop(): Promise<void>;

  /** Of each group. */
  status(): readonly LeadershipStatus[];
}

/**
 * Decides which process of an installation runs a group of readers. An adapter guarantees that
 * tokens rise from one term to the next, and that a term is not held any more when another process
 * begins the next. A process that stood still may not know that its term is over; its token fences
 * its writes.
 */
export interface GroupLease {
  readonly group: ReaderGroup;

  /** Competes for the lease until `stop`, and reports each term to `handler`. Called once. */
  start(handler: TermHandler): void;

  /** Ends the term, waits for `TermHandler.end`, and releases the lease. */
  stop(): Promise<void>;

  /** Ends the term, if there is one, and leaves the group to other processes for a while. */
  giveUp(): void;

  status(): LeadershipStatus;
}

export interface TermHandler {
  /** The lease was taken. A rejection releases it. */
  begin(term: LeadershipTerm): Promise<void>;

  /** The term is over: stop all writes. Called once for each `begin`, after that has settled. */
  end(): Promise<void>;
}

export interface LeadershipTerm {
  /** Strictly rising from one term to the next. */
  readonly token: bigint;
  /** Whether the last renewal still counts, by the clock of this process. */
  isHeld(): boolean;
  /**
   * Resolves to true as soon as the term is held, at once or after the next renewal, and to false
   * when it is over.
   */
  held(): Promise<boolean>;
  /** A store has rejected the token: another process holds the lease. */
  lost(): void;
}

export interface LeadershipStatus {
  readonly group: ReaderGroup;
  readonly role: 'leader' | 'standby';
  /** The name of this process. */
  readonly instance: string;
  /** The last known token, or null before the first read. */
  readonly token: string | null;
  /** Of that token; null where none holds it. */
  readonly holder: string | null;
  /** Why the last attempt failed, or null. */
  readonly failure: string | null;
  /** Where processes compete. */
  readonly election: 'log' | 'etcd';
  /** The processes that compete; null where the election does not know them. */
  readonly candidates: number | null;
}
