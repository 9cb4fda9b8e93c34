import { type Usage } from '#platform/chats/chat-usage.js';
import { type RigError, type RigErrorKind } from './chat-backend.js';

/** One attempt at one rig; the source of the headers and of the operator's figures. */
export interface RouteAttempt {
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
  /** The pinned rig is neither in the catalog nor a worker's. */
  | 'rig-unknown'
  /** The pinned rig is a worker's that takes no new tasks. */
  | 'rig-drained'
  /** The pinned rig is a worker's that has not been heard for several heartbeats. */
  | 'rig-lost'
  /** The pinned rig does not serve the model. */
  | 'rig-without-model'
  /** Every rig of the model is full or asked to wait, and the wait took too long. */
  | 'overloaded'
  /** Every rig of the model is full, and so is the queue, or the part of it of one account. */
  | 'queue-full'
  /** Every rig that serves the model is behind an open breaker. */
  | 'down'
  /** The attempts are used up; the cause is the last one's. */
  | 'failed'
  /** The upstream rejected the request itself; the cause has its error object. */
  | 'refused'
  /** The caller disconnected. */
  | 'cancelled';

export class RouteError extends Error {
  override readonly name = 'RouteError';

  constructor(
    readonly kind: RouteErrorKind,
    message: string,
    /** In order; empty when none was made. */
    readonly attempts: readonly RouteAttempt[],
    readonly details: {
      /** Of the last attempt, or of the rig's last failure when no attempt was made. */
      readonly rigError?: RigError;
      /** The rigs that could not be asked. */
      readonly rigs?: readonly string[];
      /** A useful wait, where there is one. */
      readonly retryAfterMs?: number;
    } = {},
  ) {
    super(message, { cause: details.rigError });
  }

  /** The rig at fault: the last rig that was asked, or the rigs that could not be asked. */
  get rig(): string | undefined {
    return this.attempts.at(-1)?.rig ?? this.details.rigs?.join(',');
  }
}

/** The usage of a rig that had accepted a request before its caller left. */
export interface AcceptedUsage {
  readonly usage: Usage;
  readonly rig: string;
}

/** Of a request that was cancelled; undefined where no rig had accepted it. */
export const acceptedUsage = (error: unknown): AcceptedUsage | undefined => {
  if (!(error instanceof RouteError) || error.kind !== 'cancelled') return undefined;
  const usage = error.details.rigError?.details.used;
  const rig = error.attempts.at(-1)?.rig;
  return usage && rig !== undefined ? { usage, rig } : undefined;
};
