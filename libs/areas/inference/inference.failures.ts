import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { RigError } from './rigs/chat-backend.js';
import { RouteError } from './rigs/route-error.js';

const retryAfter = (milliseconds: number | undefined): { retryAfterSeconds?: number } =>
  milliseconds === undefined
    ? {}
    : { retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1e3)) };

/** Seconds after which a caller may try another gateway, or this one after its restart. */
const RETRY_AFTER_DRAIN_SECONDS = 5;

/** The failure of a request that ended before its answer. */
const cutFailure = ({ reason, message }: RequestCutError): FailureDescription => {
  switch (reason) {
    case 'client_gone':
      return { status: 499, code: 'client_gone', message };
    case 'timed_out':
      return { status: 504, code: 'request_timed_out', message };
    case 'guard_blocked':
      return { status: 400, code: 'guard_blocked', message };
    case 'shut_down': {
      const retryAfterSeconds = RETRY_AFTER_DRAIN_SECONDS;
      return { status: 503, code: 'draining', message, retryAfterSeconds };
    }
  }
};

/** The failure of a request that no rig answered, with the rig at fault. */
const routeFailure = (error: RouteError): FailureDescription => ({
  ...describeRoute(error),
  ...(error.rig !== undefined && { rig: error.rig }),
});

const describeRoute = ({ kind, message, attempts, details }: RouteError): FailureDescription => {
  const metadata = { attempts: attempts.map(({ rig, outcome }) => ({ rig, outcome })) };
  switch (kind) {
    case 'model-not-served':
      return { status: 404, code: 'model_not_found', message, param: 'model' };
    case 'rig-unknown':
      return { status: 404, code: 'rig_not_found', message, param: 'routing_mode' };
    case 'rig-without-model':
      return { status: 400, code: 'rig_without_model', message, param: 'routing_mode' };
    case 'rig-drained':
      return { status: 503, code: 'rig_drained', message, param: 'routing_mode' };
    case 'rig-lost':
      return { status: 503, code: 'rig_lost', message, param: 'routing_mode' };
    case 'queue-full':
      return {
        status: 429,
        code: 'queue_full',
        message,
        metadata,
        ...retryAfter(details.retryAfterMs ?? 1_000),
      };
    case 'overloaded':
      return {
        ...overload(details.rigError),
        message,
        metadata,
        ...retryAfter(details.retryAfterMs ?? 1_000),
      };
    case 'down':
      return {
        status: 503,
        code: 'rigs_down',
        message,
        metadata,
        ...retryAfter(details.retryAfterMs),
      };
    case 'cancelled':
      return { status: 499, code: 'client_gone', message };
    case 'refused':
    case 'failed':
      return details.rigError
        ? { ...rigFailure(details.rigError), metadata }
        : { status: 502, code: 'upstream_failed', message, metadata };
  }
};

/** A provider's limit of requests or tokens is passed on as one; other load is the rig's own. */
const overload = (cause: RigError | undefined) =>
  cause?.details.status === 429
    ? ({ status: 429, code: 'upstream_rate_limited' } as const)
    : ({ status: 503, code: 'overloaded' } as const);

/** The failure of one rig; an error that the upstream reports to the caller passes through. */
const rigFailure = (error: RigError): FailureDescription => {
  const { kind, message, details } = error;
  switch (kind) {
    case 'unreachable':
      return { status: 502, code: 'upstream_unreachable', message };
    case 'timed-out':
      return { status: 504, code: 'upstream_timed_out', message };
    case 'overloaded':
      return { ...overload(error), message, ...retryAfter(details.retryAfterMs) };
    case 'failed': {
      const rejected = details.status !== undefined && GATEWAYS_FAULT.has(details.status);
      return {
        status: 502,
        code: rejected ? 'upstream_rejected_gateway' : 'upstream_failed',
        message,
      };
    }
    case 'malformed':
      return { status: 502, code: 'upstream_malformed', message };
    case 'broken-off':
      return { status: 502, code: 'upstream_broke_off', message };
    case 'cancelled':
      return { status: 499, code: 'client_gone', message };
    case 'refused':
      return rejectedByUpstream(message, details);
  }
};

/** 401 and 403 speak of the gateway's key at the upstream, which is no fault of the caller's. */
const GATEWAYS_FAULT: ReadonlySet<number> = new Set([401, 403, 407]);

const rejectedByUpstream = (
  message: string,
  { status, upstreamError }: RigError['details'],
): FailureDescription => {
  const said = (field: string): string | undefined => {
    const value = upstreamError?.[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [param, type] = [said('param'), said('type')];
  return {
    status: status ?? 400,
    code: said('code') ?? 'upstream_refused',
    message: said('message') ?? message,
    ...(param !== undefined && { param }),
    ...(type !== undefined && { type }),
  };
};

/** The codes of requests that are cut short; 499 has no caller left that could read it. */
const CUT_CODES = { request_timed_out: { status: 504 }, draining: { status: 503 } };

const ROUTE_CODES = {
  model_not_found: { status: 404 },
  rig_not_found: { status: 404 },
  rig_without_model: { status: 400 },
  rig_drained: { status: 503 },
  rig_lost: { status: 503 },
  queue_full: { status: 429 },
  overloaded: { status: 503 },
  upstream_rate_limited: { status: 429 },
  rigs_down: { status: 503 },
};

/** The built-in rigs fail with `unsupported_parameter` and `model_unusable`. */
const RIG_CODES = {
  upstream_refused: { status: 400 },
  unsupported_parameter: { status: 400 },
  model_unusable: { status: 503 },
  upstream_failed: { status: 502 },
  upstream_unreachable: { status: 502 },
  upstream_rejected_gateway: { status: 502 },
  upstream_malformed: { status: 502 },
  upstream_broke_off: { status: 502 },
  upstream_timed_out: { status: 504 },
};

/** The technical failures of inference: requests cut short, and rigs that did not answer. */
export const inferenceFailures: readonly FailureMapping[] = [
  mapFailure(RequestCutError, cutFailure, CUT_CODES),
  mapFailure(RouteError, routeFailure, ROUTE_CODES, 'known'),
  mapFailure(RigError, rigFailure, RIG_CODES, 'known'),
];
