import { type HoldPace, type PaceLimit } from '#platform/ledger/hold.js';
import { type Failure } from '../errors/envelope.js';

/** The rest of a caller's requests or tokens in a minute; the names that clients of OpenAI know. */
export interface RequestRate {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** As OpenAI writes it: `120ms`, `8s`, `1m0s`. */
export const durationOf = (ms: number): string => {
  if (ms < SECOND_MS) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / SECOND_MS);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
};

const ofRequests = ({ limit, remaining, resetMs }: RequestRate): Record<string, string> => ({
  'x-ratelimit-limit-requests': String(limit),
  'x-ratelimit-remaining-requests': String(remaining),
  'x-ratelimit-reset-requests': durationOf(resetMs),
});

const ofTokens = ({ limit, remaining, resetMs }: RequestRate): Record<string, string> => ({
  'x-ratelimit-limit-tokens': String(limit),
  'x-ratelimit-remaining-tokens': String(remaining),
  'x-ratelimit-reset-tokens': durationOf(resetMs),
});

const ofBudget = ({ limit, remaining, resetsAt }: PaceLimit, nowMs: number): RequestRate => ({
  limit,
  remaining,
  resetMs: Date.parse(resetsAt) - nowMs,
});

const NONE: Record<string, string> = {};

/**
 * The tighter of the gateway's own limit and the limit of the budgets. A limit that is not set has
 * no header.
 */
export const rateLimitHeaders = (
  gateway: RequestRate | undefined,
  pace: HoldPace | undefined,
  nowMs: number,
): Record<string, string> => {
  const budget = pace?.requests ? ofBudget(pace.requests, nowMs) : undefined;
  const isTighter = budget && (!gateway || budget.remaining < gateway.remaining);
  const requests = isTighter ? budget : gateway;
  const headers = requests ? ofRequests(requests) : NONE;
  return pace?.tokens ? { ...headers, ...ofTokens(ofBudget(pace.tokens, nowMs)) } : headers;
};

/** For a request that was rejected by a limit per minute. */
export const rejectedRateHeaders = ({
  code,
  metadata,
  retryAfterSeconds,
}: Failure): Record<string, string> => {
  if (code !== 'rate_limit_exceeded' || metadata === null) return {};
  const resetMs = (retryAfterSeconds ?? 0) * SECOND_MS;
  const { requests_per_minute: requests, tokens_per_minute: tokens, remaining } = metadata;
  const left = { remaining: typeof remaining === 'number' ? remaining : 0, resetMs };
  if (typeof requests === 'number') return ofRequests({ limit: requests, ...left });
  return typeof tokens === 'number' ? ofTokens({ limit: tokens, ...left }) : {};
};

/** How long a minute's requests take to come back, when they come back evenly. */
export const evenly = (wholeAtMs: number, nowMs: number, perMinute: number): RequestRate => {
  const resetMs = Math.max(0, wholeAtMs - nowMs);
  const used = Math.ceil((resetMs * perMinute) / MINUTE_MS - 1e-9);
  return { limit: perMinute, remaining: Math.max(0, perMinute - used), resetMs };
};
