import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldEnd } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type LeftRequest, settleLeft } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { RigError } from './rigs/chat-backend.js';
import { RouteError } from './rigs/route-error.js';

/** Finds out whether a chat was charged that was left; one that was not never will be. */
export class SettleChatCommand extends Command<HoldEnd> {
  constructor(
    readonly left: LeftRequest,
    /** Of the request that wants to know. */
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SettleChatCommand)
export class SettleChatHandler implements ICommandHandler<SettleChatCommand> {
  constructor(
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ left, context }: SettleChatCommand): Promise<HoldEnd> {
    return settleLeft(this.ledger, this.clock, left, context);
  }
}

/** Whether the charge of a chat is known and final when it ends with this error. */
export const isSettled = (error: unknown): boolean =>
  error instanceof RouteError ||
  error instanceof RigError ||
  error instanceof RequestCutError ||
  // Rejected before anything was held; billing's word that a hold is gone says not how it went.
  (error instanceof DomainError && error.code !== 'hold_not_open');
