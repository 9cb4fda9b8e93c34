import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type RepriceOrder, RepriceCharges } from './reprice-charges.js';
import { type RepricedAccount } from './repricing.js';

export interface PriceReplay {
  readonly accounts: readonly RepricedAccount[];
  readonly position: bigint;
}

/** The sum of past charges at the prices of another card; nothing is written. */
export class ReplayPricesQuery extends Query<PriceReplay> {
  constructor(
    readonly order: RepriceOrder,
    /** ISO 8601 UTC, inclusive. */
    readonly from: string,
    /** ISO 8601 UTC, exclusive. */
    readonly to: string,
  ) {
    super();
  }
}

@QueryHandler(ReplayPricesQuery)
export class ReplayPricesHandler implements IQueryHandler<ReplayPricesQuery> {
  constructor(private readonly charges: RepriceCharges) {}

  execute({ order, from, to }: ReplayPricesQuery): Promise<PriceReplay> {
    return this.charges.run(
      order,
      ({ type, data }) =>
        type === 'HoldCaptured' && data.capturedAt >= from && data.capturedAt < to,
    );
  }
}
