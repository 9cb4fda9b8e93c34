/** All in milliseconds. */
export interface EventStoreDbTimeouts {
  /** For one attempt of an append, and for one probe of a server that has failed. */
  readonly attemptMs: number;
  /** How long to settle an unknown outcome before the append fails with it. */
  readonly settleMs: number;
  /** For one page of a read. */
  readonly pageMs: number;
  /** How long a read waits for an unavailable server; subscriptions wait for ever. */
  readonly outageMs: number;
  /** A subscription that delivers nothing for this long although the log has grown is renewed. */
  readonly silenceMs: number;
}

export const TIMEOUTS: EventStoreDbTimeouts = {
  attemptMs: 3_000,
  settleMs: 10_000,
  pageMs: 10_000,
  outageMs: 10_000,
  silenceMs: 5_000,
};
