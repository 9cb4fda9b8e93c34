import { Injectable } from '@nestjs/common';
import {
  type RequestAttemptEnd,
  type LeftRequest,
} from '#platform/idempotency/answer-store.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { Failures } from '../errors/failures.js';
import { RequestSettler, type SettlingRequest } from '../idempotency/request-settler.js';

/** Settles the attempts of every route that charges: each holds under its own id. */
@Injectable()
export class PaidSettler extends RequestSettler {
  constructor(
    private readonly requests: PaidRequests,
    private readonly failures: Failures,
  ) {
    super();
  }

  settle(
    { attempt: requestId, startedAtMs }: LeftRequest,
    { caller: { accountId }, context }: SettlingRequest,
  ): Promise<RequestAttemptEnd> {
    return this.requests.settle({ accountId, requestId, startedAtMs }, context);
  }

  isSettled(error: unknown): boolean {
    return this.failures.isChargeKnown(error);
  }
}
