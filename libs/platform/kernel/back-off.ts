/** How the pauses between attempts grow: each is twice as long as the one before it. */
export interface BackOff {
  /** The pause after the first failed attempt, in milliseconds. */
  readonly firstMs: number;
  /** The longest pause, in milliseconds. */
  readonly maxMs: number;
  /**
   * The share of each pause that is random, 0 to 1: with 1 a pause lies between 0 and its length.
   */
  readonly jitter?: number;
}

/**
 * The pause after a failed attempt, in milliseconds. Jitter keeps callers that failed together from
 * trying again together.
 * @param attempt 1 for the first that failed
 * @param random from 0 to 1; a back-off with jitter needs one, the default gives the longest pause
 */
export const backOffMs = (
  { firstMs, maxMs, jitter = 0 }: BackOff,
  attempt: number,
  random = 1,
): number => Math.min(firstMs * 2 ** (attempt - 1), maxMs) * (1 - jitter + jitter * random);
