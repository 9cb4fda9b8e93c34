import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { isSettled, SettleChatCommand } from '#areas/inference/settle-chat.handler.js';
import { type AttemptEnd } from '#platform/idempotency/answer-store.port.js';
import { type LeftRequest } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { LeftRequestSettler } from '../idempotency/left-request.settler.js';

@Injectable()
export class ChatSettler extends LeftRequestSettler {
  constructor(private readonly commands: CommandBus) {
    super();
  }

  protected settleLeft(left: LeftRequest, context: CommandContext): Promise<AttemptEnd> {
    return this.commands.execute(new SettleChatCommand(left, context));
  }

  isSettled(error: unknown): boolean {
    return isSettled(error);
  }
}
