import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, ACCOUNTS } from './accounts.js';
import { runOnAccount } from './run-on-account.js';

/** Charges what the work came to and frees the rest of its hold. */
export class CaptureHoldCommand extends Command<AccountReceipt> {
  constructor(
    readonly data: (AccountCommand & { readonly type: 'CaptureHold' })['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CaptureHoldCommand)
export class CaptureHoldHandler implements ICommandHandler<CaptureHoldCommand> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts) {}

  execute({ data, context }: CaptureHoldCommand): Promise<AccountReceipt> {
    return runOnAccount(this.accounts, { type: 'CaptureHold', data }, context);
  }
}
