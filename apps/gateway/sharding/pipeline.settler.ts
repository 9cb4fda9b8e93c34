import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  isSettledPipeline,
  SettlePipelineCommand,
} from '#areas/sharding/settle-pipeline.handler.js';
import { type AttemptEnd, type LeftAttempt } from '#platform/idempotency/answer-store.port.js';
import { AttemptSettler, type SettlingRequest } from '../idempotency/attempt-settler.js';

/** Reads the account's stream. Releases an open hold, and finds a charge. */
@Injectable()
export class PipelineSettler extends AttemptSettler {
  constructor(private readonly commands: CommandBus) {
    super();
  }

  settle(
    { attempt, startedAtMs }: LeftAttempt,
    { caller, context }: SettlingRequest,
  ): Promise<AttemptEnd> {
    const left = { accountId: caller.accountId, requestId: attempt, startedAtMs };
    return this.commands.execute(new SettlePipelineCommand(left, context));
  }

  isSettled(error: unknown): boolean {
    return isSettledPipeline(error);
  }
}
