import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { StatementTaxes } from '#areas/billing/statements/statement-taxes.port.js';
import { SupplyTaxQuery } from '#areas/tax/supply-tax.handler.js';

export const bindings: readonly Provider[] = [
  {
    provide: StatementTaxes,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): StatementTaxes => ({
      termsOf: (accountId, at) => queries.execute(new SupplyTaxQuery(accountId, at)),
    }),
  },
];
