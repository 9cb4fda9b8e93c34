import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldEnd } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type LeftRequest, settleLeft } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { SpikingRunError } from './spiking.errors.js';

/** Finds out whether a run was charged that was left; one that was not never will be. */
export class SettleSpikesCommand extends Command<HoldEnd> {
  constructor(
    readonly left: LeftRequest,
    /** Of the request that wants to know. */
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettleSpikesCommand)
export class SettleSpikesHandler implements ICommandHandler<SettleSpikesCommand> {
  constructor(
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ left, context }: SettleSpikesCommand): Promise<HoldEnd> {
    return settleLeft(this.ledger, this.clock, left, context);
  }
}

/** Whether the charge of a run is known and final when it ends with this error. */
export const isSettledRun = (error: unknown): boolean =>
  error instanceof SpikingRunError ||
  error instanceof RequestCutError ||
  (error instanceof DomainError && error.code !== 'hold_not_open');
