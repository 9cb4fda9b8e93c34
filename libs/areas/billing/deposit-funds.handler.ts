import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { runOnAccount } from './run-on-account.js';

/** Credits an account; the same deposit id credits once. */
export class DepositFundsCommand extends Command<AccountReceipt> {
  constructor(
    readonly data: (AccountCommand & { readonly type: 'DepositFunds' })['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DepositFundsCommand)
export class DepositFundsHandler implements ICommandHandler<DepositFundsCommand> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  execute({ data, context }: DepositFundsCommand): Promise<AccountReceipt> {
    return runOnAccount(this.accounts, { type: 'DepositFunds', data }, context);
  }
}
