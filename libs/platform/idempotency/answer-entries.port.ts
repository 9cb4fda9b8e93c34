/** An entry as long as this attempt is the one in it. */
export interface RequestAttemptRef {
  /** As in `RequestIdentity`: 32 bytes. */
  readonly keyHash: Uint8Array;
  readonly attempt: string;
}

/** The entry of an attempt that starts. Times are milliseconds since the Unix epoch. */
export interface NewEntry extends RequestAttemptRef {
  readonly fingerprint: Uint8Array;
  readonly firstAttempt: string;
  readonly leaseEndsAtMs: number;
  readonly expiresAtMs: number;
}

/** A running attempt as it was read: any renewal or end since then makes it another. */
export type SeenAttempt = Pick<NewEntry, 'keyHash' | 'attempt' | 'leaseEndsAtMs' | 'expiresAtMs'>;

/** An entry as it was read, in this state. */
export interface SeenEntry extends SeenAttempt {
  readonly state: EntryState['state'];
}

export type EntryState =
  | { readonly state: 'running' | 'too-large' | 'charged' }
  | { readonly state: 'kept'; readonly sealed: Uint8Array };

export type FoundEntry = Omit<NewEntry, 'keyHash'> &
  EntryState & {
    /** The process of the attempt has ended, regardless of its lease. */
    readonly isOrphan: boolean;
  };

/**
 * An adapter of the answer store: each method is one atomic change of one entry, on the condition
 * that no other process has changed it. Errors are of the class `AnswerStoreError`.
 */
export interface AnswerEntries {
  /**
   * Takes a key that is free or has expired, or one that is exactly as `instead` says. Durable.
   * @returns null when it was stored, else the existing entry
   */
  start(entry: NewEntry, instead: SeenEntry | null, nowMs: number): Promise<FoundEntry | null>;
  /** Marks the attempt as charged without an answer. @returns whether exactly it still ran */
  markCharged(seen: SeenAttempt): Promise<boolean>;
  /**
   * Keeps the answer of a running attempt, or of one that was marked as charged meanwhile. Durable.
   * @param sealed null for an answer too large to keep
   * @returns whether the entry was still that attempt's
   */
  keep(ref: RequestAttemptRef, sealed: Uint8Array | null, expiresAtMs: number): Promise<boolean>;
  /** Frees the key of a running attempt. */
  remove(ref: RequestAttemptRef): Promise<void>;
  /** Moves the end of the leases of those attempts that still run. @returns how many did */
  renew(refs: readonly RequestAttemptRef[], leaseEndsAtMs: number): Promise<number>;
  /** @returns how many entries had expired and were removed */
  sweep(nowMs: number): Promise<number>;
  /** Afterwards every method fails with `store-unavailable`. */
  close(): Promise<void>;
}
