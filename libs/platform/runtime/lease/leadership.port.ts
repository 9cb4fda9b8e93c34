/**
 * Which process of a fleet runs the readers of the log. An adapter promises that terms follow one
 * another with rising tokens, and that one ends before another process may begin the next; where a
 * process stood still and does not know that yet, the token keeps its writes out.
 */
export interface Leadership {
  /** Tries for the lease until `stop`; `handler` is told of each term. Called once. */
  start(handler: TermHandler): void;

  /** Ends the term, waits for `TermHandler.end`, and lets the next process in at once. */
  stop(): Promise<void>;

  status(): LeadershipStatus;
}

export interface TermHandler {
  /** The lease was taken. A rejection gives it back. */
  begin(term: LeadershipTerm): Promise<void>;

  /** It is over: stop, and write nothing more. Called once for each `begin`, after it has settled. */
  end(): Promise<void>;
}

export interface LeadershipTerm {
  /** Strictly rising from one term to the next. */
  readonly token: bigint;
  /** By this process's own clock; false for ever once it was false. */
  isHeld(): boolean;
  /** A store has refused the token: somebody else holds the lease. */
  lost(): void;
}

export interface LeadershipStatus {
  readonly role: 'leader' | 'standby';
  /** The name of this process. */
  readonly instance: string;
  /** The last token seen and who took it, or null before the first look. */
  readonly token: string | null;
  readonly holder: string | null;
  /** Why the last try failed, or null. */
  readonly failure: string | null;
}
