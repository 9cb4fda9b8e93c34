import { Injectable } from '@nestjs/common';
import { SettleEmbeddingsHandler } from '#areas/embeddings/settle-embeddings.handler.js';
import { type AttemptEnd, type LeftAttempt } from '#platform/idempotency/answer-store.port.js';
import { AttemptSettler, type SettlingRequest } from '../idempotency/attempt-settler.js';

/** Reads the account's stream. Releases an open hold, and finds a charge. */
@Injectable()
export class EmbeddingsSettler extends AttemptSettler {
  constructor(private readonly handler: SettleEmbeddingsHandler) {
    super();
  }

  settle(
    { attempt, startedAtMs }: LeftAttempt,
    { caller, context }: SettlingRequest,
  ): Promise<AttemptEnd> {
    const left = { accountId: caller.accountId, requestId: attempt, startedAtMs };
    return this.handler.execute(left, context);
  }

  isSettled(error: unknown): boolean {
    return this.handler.isSettled(error);
  }
}
