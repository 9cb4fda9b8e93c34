import { Injectable } from '@nestjs/common';
import { type AttemptEnd, type LeftAttempt } from '#platform/idempotency/answer-store.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { Failures } from '../errors/failures.js';
import { AttemptSettler, type SettlingRequest } from '../idempotency/attempt-settler.js';

/** Settles the attempts of every route that charges: each holds under its own id. */
@Injectable()
export class PaidSettler extends AttemptSettler {
  constructor(
    private readonly requests: PaidRequests,
    private readonly failures: Failures,
  ) {
    super();
  }

  settle(
    { attempt: requestId, startedAtMs }: LeftAttempt,
    { caller: { accountId }, context }: SettlingRequest,
  ): Promise<AttemptEnd> {
    return this.requests.settle({ accountId, requestId, startedAtMs }, context);
  }

  isSettled(error: unknown): boolean {
    return this.failures.isChargeKnown(error);
  }
}
