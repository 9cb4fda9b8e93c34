import { type FailureDescription } from '#platform/runtime/areas/failure.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';

/**
 * A failure of the HTTP edge itself: authentication, limits, unavailable engines. The exception
 * filter converts it to the envelope of its route.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';

  constructor(readonly failure: FailureDescription) {
    super(failure.message);
  }
}

/** Whether the edge itself rejected a request, or what reads its body did: before any command. */
export const isRejected = (error: unknown): error is HttpFailure | RejectedRequestError =>
  error instanceof HttpFailure || error instanceof RejectedRequestError;
