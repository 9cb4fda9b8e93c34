import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { OwnerMail } from '#areas/webhooks/owner-mail.port.js';
import { profileOf } from '../partners/partner-users.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: OwnerMail,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): OwnerMail => ({
      addressOf: async (userId) => (await profileOf(queries, userId))?.email ?? null,
    }),
  },
];
