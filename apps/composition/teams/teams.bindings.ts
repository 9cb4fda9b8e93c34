import { type Provider } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  AccountFundsQuery,
  AddSubAccountCommand,
  CloseAccountCommand,
  MoveAllotmentCommand,
} from '#areas/billing/allotment.handlers.js';
import { TeamAccounts } from '#areas/teams/team-accounts.port.js';

export const bindings: readonly Provider[] = [
  {
    provide: TeamAccounts,
    inject: [CommandBus, QueryBus],
    useFactory: (commands: CommandBus, queries: QueryBus): TeamAccounts => ({
      add: async (account, context) =>
        (await commands.execute(new AddSubAccountCommand(account, context))).depth,
      move: ({ fromId: accountId, ...transfer }, context) =>
        commands.execute(new MoveAllotmentCommand({ accountId, ...transfer }, context)),
      close: (accountId, context) => commands.execute(new CloseAccountCommand(accountId, context)),
      fundsOf: (accountId) => queries.execute(new AccountFundsQuery(accountId)),
    }),
  },
];
