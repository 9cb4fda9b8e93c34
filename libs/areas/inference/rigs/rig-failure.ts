import { RigError, type RigErrorKind } from './chat-backend.js';
import { type ErrorReader, type ProviderError, type ResponseHeaders } from './dialects/dialect.js';
import { statedUsage } from './dialects/openai/openai-usage.js';
import { parseObject } from './parsed-object.js';
import { isObject } from './token-usage.js';

/** Statuses about the operator's key, bill or settings: another rig may answer. */
const OPERATOR_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407]);

export const kindOfStatus = (status: number): RigErrorKind => {
  if (status === 429 || status === 503 || status === 529) return 'overloaded';
  if (status === 408 || status === 504) return 'timed-out';
  if (OPERATOR_STATUSES.has(status)) return 'failed';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
};

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly retryAfterMs: number | null;
  readonly body: Buffer;
}

/** An answer whose status is not 2xx. */
export const failureOfResponse = (
  rig: string,
  { status, headers, body, retryAfterMs: stated }: UpstreamResponse,
  errors: ErrorReader,
): RigError => {
  // A proxy's HTML page, or nothing: only the status is known.
  const parsed = parseObject(body.toString('utf8'));
  const read = (parsed && errors(parsed, headers)) ?? undefined;
  const unbilled = parsed && statedUsage(parsed['usage']);
  const { error, kind, status: meant = status, retryAfterMs = stated } = read ?? {};
  return new RigError(kind ?? kindOfStatus(meant), `rig ${rig} answered with status ${status}`, {
    status: meant,
    ...(error && { upstreamError: error }),
    ...(unbilled && { unbilled }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
};

/** An error sent with the status 200: within a stream, or as a whole answer. */
export const failureOfEvent = (
  rig: string,
  { error, kind, status = 500, name = 'an error chunk', retryAfterMs }: ProviderError,
): RigError =>
  new RigError(kind ?? kindOfStatus(status), `rig ${rig} answered with ${name}`, {
    upstreamError: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

const CODES_OF_TIME_OUTS: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** The failure of a connection, before the answer is whole. The cause has addresses in it. */
export const failureOfConnection = (rig: string, cause: unknown, isSent: boolean): RigError => {
  const code = codeOf(cause);
  if (CODES_OF_TIME_OUTS.has(code)) {
    return new RigError('timed-out', `rig ${rig} sent nothing within the time-out`, { cause });
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || isParseError(cause)) {
    return new RigError('malformed', `rig ${rig} does not speak HTTP`, { cause });
  }
  const message = `rig ${rig} cannot be reached (${code})`;
  return new RigError('unreachable', message, { cause, isSent });
};

/**
 * undici 8.12 gives these errors no code. A connection that ends in the middle of a chunk is one of
 * them, and is no fault of the protocol.
 */
const isParseError = (cause: unknown): boolean =>
  isObject(cause) &&
  cause['name'] === 'HTTPParserError' &&
  !String(cause['message']).includes('Invalid EOF state');

const codeOf = (cause: unknown): string =>
  isObject(cause) && typeof cause['code'] === 'string' ? cause['code'] : 'unknown';

/**
 * `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`, of any length; null when
 * unreadable.
 */
export const retryAfterMsOf = (headers: ResponseHeaders, nowMs: number): number | null => {
  const ms = headers['retry-after-ms'];
  if (typeof ms === 'string' && /^\d+$/.test(ms)) return waitOf(Number(ms));
  const after = headers['retry-after'];
  if (typeof after !== 'string') return null;
  if (/^\d+$/.test(after)) return waitOf(Number(after) * 1000);
  const at = Date.parse(after);
  return Number.isNaN(at) ? null : waitOf(at - nowMs);
};

/** Instants beyond this are neither exact nor written as plain digits. */
const WAIT_MS_MAX = Number.MAX_SAFE_INTEGER;

const waitOf = (ms: number): number => Math.min(Math.max(0, ms), WAIT_MS_MAX);
