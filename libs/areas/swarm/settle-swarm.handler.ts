import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { type HoldEnd } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type LeftRequest, settleLeft } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';

/** Finds out whether an answer was charged that was left; one that was not never will be. */
export class SettleSwarmCommand extends Command<HoldEnd> {
  constructor(
    readonly left: LeftRequest,
    /** Of the request that wants to know. */
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettleSwarmCommand)
export class SettleSwarmHandler implements ICommandHandler<SettleSwarmCommand> {
  constructor(
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ left, context }: SettleSwarmCommand): Promise<HoldEnd> {
    return settleLeft(this.ledger, this.clock, left, context);
  }
}
