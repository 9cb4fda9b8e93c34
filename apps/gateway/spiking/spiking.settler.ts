import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { isSettledRun, SettleSpikesCommand } from '#areas/spiking/settle-spikes.handler.js';
import { type AttemptEnd } from '#platform/idempotency/answer-store.port.js';
import { type LeftRequest } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { LeftRequestSettler } from '../idempotency/left-request.settler.js';

@Injectable()
export class SpikingSettler extends LeftRequestSettler {
  constructor(private readonly commands: CommandBus) {
    super();
  }

  protected settleLeft(left: LeftRequest, context: CommandContext): Promise<AttemptEnd> {
    return this.commands.execute(new SettleSpikesCommand(left, context));
  }

  isSettled(error: unknown): boolean {
    return isSettledRun(error);
  }
}
