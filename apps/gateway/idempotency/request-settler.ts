import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  type RequestAttemptEnd,
  type LeftRequest,
} from '#platform/idempotency/answer-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** The request that found an abandoned attempt. */
export interface SettlingRequest {
  readonly caller: Caller;
  readonly context: CommandContext;
}

/**
 * Finds the outcome of an attempt whose process was lost or does not know it. A route that charges
 * names a provider of this class, which finds the charge by the id of the attempt.
 */
export abstract class RequestSettler {
  /** `free` is final: the attempt cannot charge after this promise has resolved. */
  abstract settle(left: LeftRequest, request: SettlingRequest): Promise<RequestAttemptEnd>;
  /** Whether the charge of an attempt that ends with this error is known and final. */
  abstract isSettled(error: unknown): boolean;
}
