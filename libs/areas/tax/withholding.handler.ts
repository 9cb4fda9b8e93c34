import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { VatRates } from './vat-rates.js';
import { type Payment, type Withheld, withholdingOn } from './withholding.js';

/** The amount withheld from a payout, for the area that pays. */
export class WithholdingQuery extends Query<Withheld> {
  constructor(readonly payment: Payment) {
    super();
  }
}

/** @throws DomainError `country_unknown` */
@QueryHandler(WithholdingQuery)
export class WithholdingHandler implements IQueryHandler<WithholdingQuery> {
  constructor(private readonly rates: VatRates) {}

  async execute({ payment }: WithholdingQuery): Promise<Withheld> {
    return Promise.resolve(withholdingOn(payment, this.rates));
  }
}
