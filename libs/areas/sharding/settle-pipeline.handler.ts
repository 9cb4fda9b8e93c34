import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldEnd } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type LeftRequest, settleLeft } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { PipelineError } from './sharding.errors.js';

/** Finds out whether an answer was charged that was left; one that was not never will be. */
export class SettlePipelineCommand extends Command<HoldEnd> {
  constructor(
    readonly left: LeftRequest,
    /** Of the request that wants to know. */
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettlePipelineCommand)
export class SettlePipelineHandler implements ICommandHandler<SettlePipelineCommand> {
  constructor(
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ left, context }: SettlePipelineCommand): Promise<HoldEnd> {
    return settleLeft(this.ledger, this.clock, left, context);
  }
}

/** Whether the charge is known and final when an answer ends with this error: it was none. */
export const isSettledPipeline = (error: unknown): boolean =>
  error instanceof PipelineError ||
  (error instanceof DomainError && error.code !== 'hold_not_open');
