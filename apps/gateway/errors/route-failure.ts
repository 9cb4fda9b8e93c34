import { type RequestCutError } from '#areas/inference/request-cut.js';
import { type RigError } from '#areas/inference/rigs/chat-backend.js';
import { type RouteError } from '#areas/inference/rigs/route-error.js';
import { type HttpFailure } from './http-failure.js';

type Described = HttpFailure['failure'];

const retryAfter = (milliseconds: number | undefined): { retryAfterSeconds?: number } =>
  milliseconds === undefined
    ? {}
    : { retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1e3)) };

/** Seconds after which a caller may try another gateway, or this one after its restart. */
export const RETRY_AFTER_DRAIN_SECONDS = 5;

/** Why a request was ended before its answer, as the caller is told. */
export const cutFailure = ({ reason, message }: RequestCutError): Described => {
  switch (reason) {
    case 'client_gone':
      return { status: 499, code: 'client_gone', message };
    case 'timed_out':
      return { status: 504, code: 'request_timed_out', message };
    case 'shut_down': {
      const retryAfterSeconds = RETRY_AFTER_DRAIN_SECONDS;
      return { status: 503, code: 'draining', message, retryAfterSeconds };
    }
  }
};

/** Why no rig answered, as the caller is told. */
export const routeFailure = ({ kind, message, attempts, details }: RouteError): Described => {
  const metadata = { attempts: attempts.map(({ rig, outcome }) => ({ rig, outcome })) };
  switch (kind) {
    case 'model-not-served':
      return { status: 404, code: 'model_not_found', message, param: 'model' };
    case 'rig-unknown':
      return { status: 404, code: 'rig_not_found', message, param: 'routing_mode' };
    case 'rig-without-model':
      return { status: 400, code: 'rig_without_model', message, param: 'routing_mode' };
    case 'overloaded':
      return {
        status: 503,
        code: 'overloaded',
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

/** What one rig did wrong, as the caller is told; a refusal of the upstream passes through. */
export const rigFailure = ({ kind, message, details }: RigError): Described => {
  switch (kind) {
    case 'unreachable':
      return { status: 502, code: 'upstream_unreachable', message };
    case 'timed-out':
      return { status: 504, code: 'upstream_timed_out', message };
    case 'overloaded':
      return { status: 503, code: 'overloaded', message, ...retryAfter(details.retryAfterMs) };
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
      return refusedByUpstream(message, details);
  }
};

/** 401 and 403 speak of the gateway's key at the upstream, which is no fault of the caller's. */
const GATEWAYS_FAULT: ReadonlySet<number> = new Set([401, 403, 407]);

const refusedByUpstream = (
  message: string,
  { status, upstreamError }: RigError['details'],
): Described => {
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
