import { type FailureDescription } from '#platform/runtime/failure.js';

/**
 * A failure that the HTTP edge itself decides: authentication, limits, unavailable engines. The
 * exception filter turns it into the envelope of the route it happened on.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';

  constructor(readonly failure: FailureDescription) {
    super(failure.message);
  }
}
