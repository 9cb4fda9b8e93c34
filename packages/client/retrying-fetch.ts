/** How often and how long a request is tried again. */
export interface RetryOptions {
  /** Attempts after the first one. Default: 3. 0: none. */
  readonly retriesMax?: number;
  /** The longest wait before an attempt. An answer that asks for a longer one is returned. */
  readonly waitMsMax?: number;
  /** Default: the `fetch` of the platform. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

const RETRIES_MAX = 3;
const WAIT_MS_MAX = 30_000;
const FIRST_WAIT_MS = 250;

const IDEMPOTENCY_KEY = 'idempotency-key';
const CHANGES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** A later attempt may succeed. A 409 does only where its key is still running. */
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * Sends a request until its answer is final. A request that changes something has one
 * `Idempotency-Key` in all of its attempts, so it is carried out and charged once.
 */
export const retryingFetch =
  ({ retriesMax = RETRIES_MAX, waitMsMax = WAIT_MS_MAX, fetch: send }: RetryOptions = {}) =>
  async (request: Request): Promise<Response> => {
    if (CHANGES.has(request.method) && !request.headers.has(IDEMPOTENCY_KEY)) {
      request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID());
    }
    for (let retries = 0; ; retries += 1) {
      const isLast = retries === retriesMax;
      const attempt = isLast ? request : request.clone();
      try {
        const response = await (send ?? fetch)(attempt);
        const waitMs = isLast ? null : waitMsOf(response, retries, waitMsMax);
        if (waitMs === null) return response;
        await response.body?.cancel();
        await pause(waitMs, request.signal);
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
        await pause(backOffMs(retries, waitMsMax), request.signal);
      }
    }
  };

/** Null: the answer is final. */
const waitMsOf = ({ status, headers }: Response, retries: number, max: number): number | null => {
  const asked = headers.get('retry-after');
  if (!PASSING.has(status) || (status === 409 && asked === null)) return null;
  if (asked === null) return backOffMs(retries, max);
  const seconds = Number(asked);
  const waitMs = Number.isNaN(seconds) ? Date.parse(asked) - Date.now() : seconds * 1_000;
  if (Number.isNaN(waitMs)) return backOffMs(retries, max);
  return waitMs > max ? null : Math.max(0, waitMs);
};

/** Random, so that clients that failed at the same time come back at different times. */
export const backOffMs = (retries: number, max = WAIT_MS_MAX): number =>
  Math.random() * Math.min(max, FIRST_WAIT_MS * 2 ** retries);

/** @throws the reason of the signal, once it is aborted */
export const pause = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
