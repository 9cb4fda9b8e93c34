import { type RequestAttemptEnd } from '#platform/idempotency/answer-store.port.js';
import { type Failures } from '../errors/failures.js';
import { RequestSettler } from './request-settler.js';

/**
 * For routes that only create. The retry of an abandoned attempt has the same request id, so it
 * finds the objects of the first attempt and creates the missing ones. The first attempt may still
 * be running.
 */
export class SameRequestSettler extends RequestSettler {
  constructor(private readonly failures: Pick<Failures, 'of'>) {
    super();
  }

  settle(): Promise<RequestAttemptEnd> {
    return Promise.resolve('free');
  }

  /** A domain error is final. A defect may have happened after a first event. */
  isSettled(error: unknown): boolean {
    return this.failures.of(error).status < 500;
  }
}
