import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ListApiKeysQuery } from '#areas/identity/keys/list-api-keys.handler.js';
import { KeyNames } from '#areas/requests/key-names.port.js';
import { SubAccounts } from '#areas/requests/sub-accounts.port.js';
import { TeamsBelowQuery } from '#areas/teams/team.queries.js';

export const bindings: readonly Provider[] = [
  {
    provide: SubAccounts,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): SubAccounts => ({
      below: (accountId, most) => queries.execute(new TeamsBelowQuery(accountId, most)),
    }),
  },
  {
    provide: KeyNames,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): KeyNames => ({
      of: async (accountId) => {
        const { keys } = await queries.execute(new ListApiKeysQuery(accountId));
        return new Map(keys.map(({ lineage, name }) => [lineage, name]));
      },
    }),
  },
];
