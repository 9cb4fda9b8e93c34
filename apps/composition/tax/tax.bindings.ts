import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AccountsAbove } from '#areas/tax/accounts-above.port.js';
import { AccountsAboveQuery } from '#areas/teams/team.queries.js';
import { isTeamId } from '#events/teams/team.vocabulary.js';

export const bindings: readonly Provider[] = [
  {
    provide: AccountsAbove,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): AccountsAbove => ({
      of: (accountId) =>
        isTeamId(accountId)
          ? queries.execute(new AccountsAboveQuery(accountId))
          : Promise.resolve([]),
    }),
  },
];
