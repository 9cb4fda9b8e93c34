import { type Provider } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { PartnerUsers } from '#areas/partners/partner-users.port.js';
import { IdentityPartnerUsers } from './partner-users.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: PartnerUsers,
    inject: [CommandBus, QueryBus],
    useFactory: (commands: CommandBus, queries: QueryBus) =>
      new IdentityPartnerUsers(commands, queries),
  },
];
