import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { runOnAccount } from './run-on-account.js';

/** Opens an account; opening it again is nothing new. */
export class OpenAccountCommand extends Command<AccountReceipt> {
  constructor(
    readonly data: (AccountCommand & { readonly type: 'OpenAccount' })['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OpenAccountCommand)
export class OpenAccountHandler implements ICommandHandler<OpenAccountCommand> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  execute({ data, context }: OpenAccountCommand): Promise<AccountReceipt> {
    return runOnAccount(this.accounts, { type: 'OpenAccount', data }, context);
  }
}
