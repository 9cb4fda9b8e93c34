import { Injectable } from '@nestjs/common';
import { ToolCalls } from '#areas/agents/mcp/tool-calls.js';
import { type AttemptEnd } from '#platform/idempotency/answer-store.port.js';
import { type LeftRequest } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { LeftRequestSettler } from '../idempotency/left-request.settler.js';
import { Failures } from '../errors/failures.js';

@Injectable()
export class McpSettler extends LeftRequestSettler {
  constructor(
    private readonly calls: ToolCalls,
    private readonly failures: Failures,
  ) {
    super();
  }

  protected settleLeft(left: LeftRequest, context: CommandContext): Promise<AttemptEnd> {
    return this.calls.settle(left, context);
  }

  /** A failure of a call is an answer; an error below 500 is the request's own. */
  isSettled(error: unknown): boolean {
    return this.failures.of(error).status < 500;
  }
}
