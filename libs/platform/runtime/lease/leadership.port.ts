/**
 * Decides which process of an installation runs projections, sagas and relays. An adapter
 * guarantees that tokens rise from one term to the next, and that a term is not held any more when
 * another process begins the next. A process that stood still may not know that its term is over;
 * its token fences its writes.
 */
export interface Leadership {
  /** Competes for the lease until `stop`, and reports each term to `handler`. Called once. */
  start(handler: TermHandler): void;

  /** Ends the term, waits for `TermHandler.end`, and releases the lease. */
  stop(): Promise<void>;

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
  readonly role: 'leader' | 'standby';
  /** The name of this process. */
  readonly instance: string;
  /** The last known token and its holder, or null before the first read. */
  readonly token: string | null;
  readonly holder: string | null;
  /** Why the last attempt failed, or null. */
  readonly failure: string | null;
  /** Where processes compete. */
  readonly election: 'log' | 'etcd';
  /** The processes that compete; null where the election does not know them. */
  readonly candidates: number | null;
}
