import { type Provider } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { AccountOverviewQuery } from '#areas/billing/account-overview.handler.js';
import { BudgetsQuery } from '#areas/billing/budgets/budgets.handler.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { AccountOpener } from '#areas/identity/accounts/account-opener.port.js';
import { BalanceReader } from '#areas/identity/accounts/balance-reader.port.js';
import { accountIdOf } from '#areas/identity/authentication/caller.js';
import { KeyUsesQuery } from '#areas/billing/key-uses.handler.js';
import { KeyUses } from '#areas/identity/keys/key-uses.port.js';
import { KeyBudgets } from '#areas/identity/keys/key-budgets.port.js';
import { TeamRules } from '#areas/identity/openid/team-rules.port.js';
import { ApplyTeamRulesCommand } from '#areas/teams/members.handlers.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';

export const bindings: readonly Provider[] = [
  {
    provide: KeyBudgets,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): KeyBudgets => ({
      limits: async (userId, line) => {
        const { budgets } = await queries.execute(new BudgetsQuery(accountIdOf(userId)));
        return budgets.some(({ key }) => key === line);
      },
    }),
  },
  {
    provide: KeyUses,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): KeyUses => ({
      of: (userId) => queries.execute(new KeyUsesQuery(accountIdOf(userId))),
    }),
  },
  {
    provide: TeamRules,
    inject: [CommandBus],
    useFactory: (commands: CommandBus): TeamRules => ({
      apply: (userId, granted, context) =>
        commands.execute(new ApplyTeamRulesCommand(userId, granted, context)),
    }),
  },
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
