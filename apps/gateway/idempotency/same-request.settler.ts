import { type AttemptEnd } from '#platform/idempotency/answer-store.port.js';
import { type Failures } from '../errors/failures.js';
import { AttemptSettler } from './attempt-settler.js';

/**
 * For routes that only create: the retry of an attempt that was left runs as the same request, so
 * it finds what the first one created, and creates the rest. That is right whether the first
 * attempt has ended or still runs somewhere.
 */
export class SameRequestSettler extends AttemptSettler {
  constructor(private readonly failures: Pick<Failures, 'of'>) {
    super();
  }

  settle(): Promise<AttemptEnd> {
    return Promise.resolve('free');
  }

  /** What is wrong with the request stays wrong; a defect may have come after a first event. */
  isSettled(error: unknown): boolean {
    return this.failures.of(error).status < 500;
  }
}
