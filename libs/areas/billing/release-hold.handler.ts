import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { runOnAccount } from './run-on-account.js';

/** Frees a hold whose work came to nothing. */
export class ReleaseHoldCommand extends Command<AccountReceipt> {
  constructor(
    readonly data: (AccountCommand & { readonly type: 'ReleaseHold' })['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReleaseHoldCommand)
export class ReleaseHoldHandler implements ICommandHandler<ReleaseHoldCommand> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  execute({ data, context }: ReleaseHoldCommand): Promise<AccountReceipt> {
    return runOnAccount(this.accounts, { type: 'ReleaseHold', data }, context);
  }
}
