const FIRST_MS = 100;
const LAST_MS = 10_000;

/**
 * How long a message waits after a failed attempt, in milliseconds: twice as long each time, and of
 * that between half and all, so that what failed together is not tried again together.
 * @param attempt 1 after the first
 * @param random 0 to 1
 */
export const backOffMs = (attempt: number, random: number): number =>
  Math.min(FIRST_MS * 2 ** (attempt - 1), LAST_MS) * (0.5 + random / 2);
