import { type RigError, type RigErrorKind } from './chat-backend.js';

/** One try at one rig; what the headers and the operator's figures are made of. */
export interface Attempt {
  readonly rig: string;
  /** Milliseconds from the start of routing. */
  readonly startedMs: number;
  /** Milliseconds from the start of routing to the answer, the first page or the failure. */
  readonly endedMs: number;
  readonly outcome: 'answered' | RigErrorKind;
  /** The upstream's HTTP status, where a failure had one. */
  readonly status?: number;
}

/** Why no rig answered; closed, so that one table maps it to statuses and envelopes. */
export type RouteErrorKind =
  /** No rig in the catalog serves the model. */
  | 'model-not-served'
  /** The pinned rig is not in the catalog. */
  | 'rig-unknown'
  /** The pinned rig does not serve the model. */
  | 'rig-without-model'
  /** Every rig that serves the model is full or asked to wait; the queue is full or took too long. */
  | 'overloaded'
  /** Every rig that serves the model is behind an open breaker. */
  | 'down'
  /** The attempts are used up; the cause is the last one's. */
  | 'failed'
  /** The upstream refused the request as such; the cause carries its error object. */
  | 'refused'
  /** The caller left. */
  | 'cancelled';

export class RouteError extends Error {
  override readonly name = 'RouteError';

  constructor(
    readonly kind: RouteErrorKind,
    message: string,
    /** In order; empty when none was made. */
    readonly attempts: readonly Attempt[],
    readonly details: {
      /** Of the last attempt, or of the rig's last failure when no attempt was made. */
      readonly rigError?: RigError;
      /** When waiting helps, and how long. */
      readonly retryAfterMs?: number;
    } = {},
  ) {
    super(message, { cause: details.rigError });
  }
}
