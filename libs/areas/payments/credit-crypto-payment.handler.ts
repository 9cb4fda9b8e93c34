import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { Deposits } from './deposits.port.js';
import { type ReceivedDeposit } from './received-deposit.js';

/** The command of the saga; it may come twice. */
export class CreditCryptoPaymentCommand extends Command<void> {
  constructor(
    readonly deposit: ReceivedDeposit,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreditCryptoPaymentCommand)
export class CreditCryptoPaymentHandler implements ICommandHandler<CreditCryptoPaymentCommand> {
  constructor(private readonly deposits: Deposits) {}

  execute({ deposit, context }: CreditCryptoPaymentCommand): Promise<void> {
    return this.deposits.credit(deposit, context);
  }
}
