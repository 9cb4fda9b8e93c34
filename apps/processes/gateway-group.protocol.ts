import { type ProcessAnswer, type ProcessCall } from '#platform/runtime/process/process-calls.js';
import { type ReadinessReason } from '#platform/runtime/areas/operations.js';
import { type Bootstrap } from '../composition/bootstrap.js';
import { type MetricValues } from '../operations/process-group.port.js';
import { type SignInVerdict } from '../gateway/identity/sign-in-gate.js';

/** Requests that one gateway has counted, of each account and each key. */
export interface CountedRequests {
  readonly accounts: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, number>;
}

export interface ListeningGateway {
  readonly url: string;
  /** The credentials of a first start. */
  readonly bootstrap: Bootstrap | undefined;
}

/**
 * The calls that the leading process of a group answers to a gateway, in addition to the calls of a
 * projector.
 */
export type LeaderCalls = {
  readonly listening: (gateway: ListeningGateway) => void;
  /** The other gateways count these requests, too. */
  readonly counted: (requests: CountedRequests) => void;
  readonly enterAttempt: (address: string) => Promise<SignInVerdict>;
  readonly leaveAttempt: (attempt: { readonly address: string; readonly failed: boolean }) => void;
  /** A call for another gateway. */
  readonly forward: (call: ProcessCall) => Promise<ProcessAnswer>;
  /** The metrics of all processes, as text. */
  readonly metrics: (nothing: null) => Promise<string>;
};

/** The calls that a gateway of a group answers. */
export type GroupGatewayCalls = {
  readonly counted: (requests: CountedRequests) => void;
  readonly reload: (nothing: null) => Promise<void>;
  /** A call of another gateway. */
  readonly forwarded: (call: ProcessCall) => Promise<unknown>;
  /** Why it should get no requests; empty when it may. */
  readonly reasons: (nothing: null) => Promise<readonly ReadinessReason[]>;
  readonly metrics: (nothing: null) => Promise<readonly MetricValues[]>;
};
