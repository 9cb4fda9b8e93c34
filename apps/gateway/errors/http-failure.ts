import { type FailureDescription } from '#platform/runtime/failure.js';

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
