import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { runOnAccount } from './run-on-account.js';

/** Reserves the worst-case price of work, before the work. Refused with `insufficient_balance`. */
export class PlaceHoldCommand extends Command<AccountReceipt> {
  constructor(
    readonly data: (AccountCommand & { readonly type: 'PlaceHold' })['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(PlaceHoldCommand)
export class PlaceHoldHandler implements ICommandHandler<PlaceHoldCommand> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  execute({ data, context }: PlaceHoldCommand): Promise<AccountReceipt> {
    return runOnAccount(this.accounts, { type: 'PlaceHold', data }, context);
  }
}
