import { type Provider } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { AccountOverviewQuery } from '#areas/billing/account-overview.handler.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { AccountOpener } from '#areas/identity/accounts/account-opener.port.js';
import { BalanceReader } from '#areas/identity/accounts/balance-reader.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';

export const bindings: readonly Provider[] = [
  {
    provide: AccountOpener,
    inject: [CommandBus, CLOCK],
    useFactory: (commands: CommandBus, clock: Clock): AccountOpener => ({
      open: async (accountId, context) => {
        const data = { accountId, currency: 'USD', openedAt: instant(clock) } as const;
        await commands.execute(new ChangeAccountCommand({ type: 'OpenAccount', data }, context));
      },
    }),
  },
  {
    provide: BalanceReader,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): BalanceReader => ({
      balanceMicroUsd: async (accountId) =>
        (await queries.execute(new AccountOverviewQuery(accountId))).balance,
    }),
  },
];
