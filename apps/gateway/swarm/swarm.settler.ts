import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { isSettled } from '#areas/inference/settle-chat.handler.js';
import { SettleSwarmCommand } from '#areas/swarm/settle-swarm.handler.js';
import { SwarmRunError } from '#areas/swarm/swarm.errors.js';
import { type AttemptEnd, type LeftAttempt } from '#platform/idempotency/answer-store.port.js';
import { AttemptSettler, type SettlingRequest } from '../idempotency/attempt-settler.js';

/** Reads the account's stream. Releases an open hold, and finds a charge. */
@Injectable()
export class SwarmSettler extends AttemptSettler {
  constructor(private readonly commands: CommandBus) {
    super();
  }

  settle(
    { attempt, startedAtMs }: LeftAttempt,
    { caller, context }: SettlingRequest,
  ): Promise<AttemptEnd> {
    const left = { accountId: caller.accountId, requestId: attempt, startedAtMs };
    return this.commands.execute(new SettleSwarmCommand(left, context));
  }

  isSettled(error: unknown): boolean {
    return error instanceof SwarmRunError || isSettled(error);
  }
}
