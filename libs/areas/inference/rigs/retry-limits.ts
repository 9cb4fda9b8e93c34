/** How often one request asks rigs, and how long it waits between. */
export interface RetryLimits {
  /** Attempts of one request: at each rig, and over all rigs the most that one of them has. */
  readonly attemptsMax: number;
  /** The first pause before a rig is asked again; it doubles. */
  readonly backOffMs: number;
  /** The longest such pause. */
  readonly backOffMsMax: number;
  /** A rig with a longer `Retry-After` is not waited for. */
  readonly retryAfterMsMax: number;
}

export const RETRY_LIMITS: RetryLimits = {
  attemptsMax: 3,
  backOffMs: 100,
  backOffMsMax: 2_000,
  retryAfterMsMax: 10_000,
};
