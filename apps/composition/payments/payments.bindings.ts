import { type Provider } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { Deposits } from '#areas/payments/deposits.port.js';

export const bindings: readonly Provider[] = [
  {
    provide: Deposits,
    inject: [CommandBus],
    useFactory: (commands: CommandBus): Deposits => ({
      credit: async (data, context) => {
        await commands.execute(new ChangeAccountCommand({ type: 'DepositFunds', data }, context));
      },
      reverse: async (data, context) => {
        await commands.execute(new ChangeAccountCommand({ type: 'ReverseDeposit', data }, context));
      },
    }),
  },
];
