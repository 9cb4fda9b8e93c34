import { type JsonObject, type RigErrorKind } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { type ErrorReader, type ProviderError } from '../dialect.js';

/** The states of `google.rpc.Status` whose HTTP status says too little. */
const KINDS: Readonly<Record<string, RigErrorKind>> = {
  RESOURCE_EXHAUSTED: 'overloaded',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timed-out',
  INTERNAL: 'failed',
  UNAUTHENTICATED: 'failed',
  PERMISSION_DENIED: 'failed',
  NOT_FOUND: 'failed',
  // The operator's billing or region, and no field of the request.
  FAILED_PRECONDITION: 'failed',
};

/** A wrong key is an invalid argument to Gemini. */
const BAD_KEYS: ReadonlySet<unknown> = new Set(['API_KEY_INVALID', 'API_KEY_EXPIRED']);

/** A wait of Google's `Duration`, such as `7s` or `0.5s`. */
const DURATION = /^(\d+(?:\.\d+)?)s$/;

const detailsOf = ({ details }: JsonObject): readonly JsonObject[] =>
  (Array.isArray(details) ? (details as readonly unknown[]) : []).filter(isObject);

/** `{ error: { code, message, status, details } }`, in an answer or in a stream. */
export const errorIn = (body: JsonObject): ProviderError | null => {
  const { error } = body;
  if (!isObject(error)) return null;
  const { code, message, status } = error;
  const details = detailsOf(error);
  const isKey = details.some(({ reason }) => BAD_KEYS.has(reason));
  const wait = details.map(({ retryDelay }) => DURATION.exec(String(retryDelay))?.[1]);
  const seconds = wait.find((one) => one !== undefined);
  const name = isKey ? 'UNAUTHENTICATED' : status;
  const kind = typeof name === 'string' ? KINDS[name] : undefined;
  // A quota of a day does not come back within a wait.
  const isDaily = details.some(hasDailyQuota);
  return {
    error: { message: typeof message === 'string' ? message : 'Gemini failed', code: codeOf(name) },
    ...((isDaily || kind !== undefined) && { kind: isDaily ? 'failed' : kind }),
    ...(isKey ? { status: 401 } : Number.isInteger(code) && { status: Number(code) }),
    ...(seconds !== undefined && { retryAfterMs: Math.ceil(Number(seconds) * 1_000) }),
  };
};

const codeOf = (status: unknown): string =>
  typeof status === 'string' ? status.toLowerCase() : 'unknown';

const hasDailyQuota = ({ violations }: JsonObject): boolean =>
  (Array.isArray(violations) ? (violations as readonly unknown[]) : []).some(
    (one) => isObject(one) && /PerDay/.test(String(one['quotaId'])),
  );

export const geminiErrors: ErrorReader = (body) => errorIn(body);
