/** All in milliseconds. */
export interface EventStoreDbTimeouts {
  /** For one attempt of an append, and for one probe of a server that has failed. */
  readonly attemptMs: number;
  /** How long an append's outcome may stay unknown before its caller is told so. */
  readonly settleMs: number;
  /** For one page of a reading. */
  readonly pageMs: number;
  /** How long a reading waits for a server that is gone; subscriptions wait for ever. */
  readonly outageMs: number;
  /** A subscription that brings nothing for so long although there is news is made anew. */
  readonly silenceMs: number;
}

export const TIMEOUTS: EventStoreDbTimeouts = {
  attemptMs: 3_000,
  settleMs: 10_000,
  pageMs: 10_000,
  outageMs: 10_000,
  silenceMs: 5_000,
};
