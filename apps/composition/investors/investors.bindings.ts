import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { InvestorUsers } from '#areas/investors/investor-users.port.js';
import { profileOf } from '../partners/partner-users.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: InvestorUsers,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): InvestorUsers => ({
      roleOf: async (userId) => (await profileOf(queries, userId))?.role ?? null,
    }),
  },
];
