import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ListApiKeysQuery } from '#areas/identity/keys/list-api-keys.handler.js';
import { KeyNames } from '#areas/requests/key-names.port.js';
import { UserId } from '#events/vocabulary.js';

export const bindings: readonly Provider[] = [
  {
    provide: KeyNames,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): KeyNames => ({
      of: async (accountId) => {
        const user = UserId.safeParse(Number(accountId));
        if (!user.success) return new Map();
        const { keys } = await queries.execute(new ListApiKeysQuery(user.data));
        return new Map(keys.map(({ lineage, name }) => [lineage, name]));
      },
    }),
  },
];
