import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { BillSources } from '#areas/audit/bill-sources.port.js';
import { SharedEvents } from '#areas/audit/shared-events.port.js';
import { accountStream } from '#areas/billing/accounts.js';
import { MaySeeSpendQuery } from '#areas/cleanrooms/may-see-spend.query.js';
import { StatementQuery } from '#areas/billing/statements/statement.handler.js';
import { RATE_CARD_STREAM } from '#areas/catalog/rate-card-runner.js';

export const bindings: readonly Provider[] = [
  {
    provide: BillSources,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): BillSources => ({
      accountStream,
      rateCardStream: () => RATE_CARD_STREAM,
      statement: (accountId, month) => queries.execute(new StatementQuery(accountId, month)),
    }),
  },
  {
    provide: SharedEvents,
    inject: [QueryBus],
    useFactory: (queries: QueryBus): SharedEvents => ({
      maySee: (accountId, { stream, type }) =>
        queries.execute(new MaySeeSpendQuery(accountId, stream, type)),
    }),
  },
];
