import { type JsonObject, RigError, type RigErrorKind } from './chat-backend.js';
import { ANSWER_LEVELS_MAX, isDeeperThan } from './nesting.js';
import { statedUsage } from './openai-usage.js';
import { isObject } from './token-usage.js';

/** Statuses about the operator's key, bill or settings: another rig may answer. */
const OPERATOR_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407]);

export const kindOfStatus = (status: number): RigErrorKind => {
  if (status === 429 || status === 503) return 'overloaded';
  if (status === 408 || status === 504) return 'timed-out';
  if (OPERATOR_STATUSES.has(status)) return 'failed';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
};

export interface UpstreamResponse {
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly body: Buffer;
}

/** An answer whose status is not 2xx. */
export const failureOfResponse = (rig: string, response: UpstreamResponse): RigError => {
  const { status, retryAfterMs, body } = response;
  const answer = answerIn(body);
  const upstreamError = answer && errorObject(answer);
  const unbilled = answer && statedUsage(answer['usage']);
  return new RigError(kindOfStatus(status), `rig ${rig} answered with status ${status}`, {
    status,
    ...(upstreamError && { upstreamError }),
    ...(unbilled && { unbilled }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
};

const errorObject = (answer: JsonObject): JsonObject | null => {
  // Older vLLM puts the fields of the error at the top.
  const { error = answer } = answer;
  if (isObject(error)) return error;
  return typeof error === 'string' ? { message: error } : null;
};

const answerIn = (body: Buffer): JsonObject | null => {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isObject(parsed) && !isDeeperThan(parsed, ANSWER_LEVELS_MAX) ? parsed : null;
  } catch {
    // A proxy's HTML page, or nothing: only the status is known.
    return null;
  }
};

/** An `error` sent as a chunk, before anything was delivered; it may carry a status as its code. */
export const failureOfErrorChunk = (rig: string, error: unknown): RigError => {
  const upstreamError = isObject(error) ? error : { message: String(error) };
  const { code } = upstreamError;
  const status = Number.isInteger(code) ? Number(code) : 500;
  return new RigError(kindOfStatus(status), `rig ${rig} answered with an error chunk`, {
    upstreamError,
  });
};

const CODES_OF_TIME_OUTS: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** What the HTTP client reports before there is a whole answer. The cause has addresses in it. */
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
export const retryAfterMsOf = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
  nowMs: number,
): number | null => {
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
