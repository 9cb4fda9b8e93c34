/** An event that is not as it was appended, or that is gone. */
export interface DamagedEvent {
  readonly position: bigint;
  /** Null where it is not known. */
  readonly stream: string | null;
  /** A clause for the operator, such as "it differs from the appended event". */
  readonly reason: string;
}

export interface ChainReport {
  /** Events that were checked. */
  readonly events: number;
  /** The last position that was checked. */
  readonly position: bigint;
  /**
   * The stored hash of the log up to there, in hexadecimal: of the chain, or the root of the tree.
   * Null in an empty log.
   */
  readonly hash: string | null;
  readonly damaged: readonly DamagedEvent[];
}

export interface ChainCheckOptions {
  /** Inclusive. */
  readonly upTo: bigint;
  readonly onProgress?: (position: bigint) => void;
  /** Ends the check, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Hashes that are kept of each event: the chain (`event.chain.ts`), or the tree (`../audit`). */
export interface LogChain {
  /** Recomputes the hash of every stored event, and continues past damaged ones. */
  check(options: ChainCheckOptions): Promise<ChainReport>;
}
