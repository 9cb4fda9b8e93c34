/** A server did not answer in time; what was asked of it may have been done. */
export class TimedOutError extends Error {
  override readonly name = 'TimedOutError';

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

/** The promise's outcome, or a TimedOutError; what the promise comes to later is ignored. */
export const within = async <Result>(
  timeoutMs: number,
  promise: Promise<Result>,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOutError(timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
