import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { runOnAccount } from './run-on-account.js';

/** Any command of the account's decider, for callers outside billing that use Nest's bus. */
export class ChangeAccountCommand extends Command<AccountReceipt> {
  constructor(
    readonly change: AccountCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** @throws DomainError with a code of `billing.errors.ts`, ContentionError, EventStoreError */
@CommandHandler(ChangeAccountCommand)
export class ChangeAccountHandler implements ICommandHandler<ChangeAccountCommand> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  execute({ change, context }: ChangeAccountCommand): Promise<AccountReceipt> {
    return runOnAccount(this.accounts, change, context);
  }
}
