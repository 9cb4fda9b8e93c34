/** There was no answer in time; what was asked for may have been done. */
export class TimedOutError extends Error {
  override readonly name = 'TimedOutError';

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

/**
 * The outcome of the promise, or of `onLate` when the time is up first. What the promise comes to
 * later is ignored. No timer is left behind.
 * @param onLate gives a value in place of the promise's, or throws
 * @throws TimedOutError without an `onLate`
 */
export const within = async <Result, Late = never>(
  promise: Promise<Result>,
  timeoutMs: number,
  onLate: () => Late = () => {
    throw new TimedOutError(timeoutMs);
  },
): Promise<Result | Late> => {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    return await Promise.race([promise, elapsed.then(onLate)]);
  } finally {
    clearTimeout(timer);
  }
};
