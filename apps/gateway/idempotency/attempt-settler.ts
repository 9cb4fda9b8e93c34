import { type Caller } from '#areas/identity/authentication/caller.js';
import { type AttemptEnd, type LeftAttempt } from '#platform/idempotency/answer-store.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';

/** The request that found an attempt that was left. */
export interface SettlingRequest {
  readonly caller: Caller;
  readonly context: CommandContext;
}

/**
 * Says what became of an attempt whose process was lost or did not learn its outcome. A route that
 * charges names a provider of this class; it finds the charge by the id of the attempt.
 */
export abstract class AttemptSettler {
  /** `free` is final: the attempt must not be able to charge any more once this has resolved. */
  abstract settle(left: LeftAttempt, request: SettlingRequest): Promise<AttemptEnd>;
  /** Whether what an attempt has cost is known, and final, when it ends with this error. */
  abstract isSettled(error: unknown): boolean;
}
