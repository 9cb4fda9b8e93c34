import { Injectable } from '@nestjs/common';
import { ToolCalls } from '#areas/agents/mcp/tool-calls.js';
import { type AttemptEnd, type LeftAttempt } from '#platform/idempotency/answer-store.port.js';
import { AttemptSettler, type SettlingRequest } from '../idempotency/attempt-settler.js';
import { Failures } from '../errors/failures.js';

/** Reads the account's stream. Releases an open hold, and finds a charge. */
@Injectable()
export class McpSettler extends AttemptSettler {
  constructor(
    private readonly calls: ToolCalls,
    private readonly failures: Failures,
  ) {
    super();
  }

  settle(
    { attempt, startedAtMs }: LeftAttempt,
    { caller, context }: SettlingRequest,
  ): Promise<AttemptEnd> {
    const left = { accountId: caller.accountId, requestId: attempt, startedAtMs };
    return this.calls.settle(left, context);
  }

  /** A failure of a call is an answer; what is thrown beside it, below 500, is the request's own. */
  isSettled(error: unknown): boolean {
    return this.failures.of(error).status < 500;
  }
}
