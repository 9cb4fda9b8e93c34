import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { runOnAccount } from './run-on-account.js';

export interface HoldReference {
  readonly accountId: string;
  readonly holdId: string;
}

/** Frees a hold that a crash left open; nothing new once the hold has ended. */
export class ExpireHoldCommand extends Command<AccountReceipt> {
  constructor(
    readonly hold: HoldReference,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** The command of `hold-expiry.saga.ts` when a deadline passes. */
export const expireHold = (hold: HoldReference, context: CommandContext): ExpireHoldCommand =>
  new ExpireHoldCommand(hold, context);

@CommandHandler(ExpireHoldCommand)
export class ExpireHoldHandler implements ICommandHandler<ExpireHoldCommand> {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ hold, context }: ExpireHoldCommand): Promise<AccountReceipt> {
    const data = { ...hold, expiredAt: instant(this.clock) };
    return runOnAccount(this.accounts, { type: 'ExpireHold', data }, context);
  }
}
