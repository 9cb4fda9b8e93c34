import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TableAges, type TaxTable } from './table-ages.js';
import { VatRates, type VatRate } from './vat-rates.js';
import { demandCountry, type Withheld, withholdingOn } from './withholding.js';
import { type IncomeType } from './withholding-rates.js';

export interface TaxCompliance {
  readonly country: string;
  readonly grossMicroUsd: MicroUsd;
  readonly incomeType: IncomeType;
  readonly treatyClaimed: boolean;
  readonly withheld: Withheld;
  readonly netMicroUsd: MicroUsd;
  /** The standard rate of the whole country, now. */
  readonly vat: VatRate;
  /** The tables that are older than the stated age. */
  readonly stale: readonly TaxTable[];
}

/** The amount of a payout to a country after tax. */
export class TaxComplianceQuery extends Query<TaxCompliance> {
  constructor(
    /** ISO 3166-1 alpha-2. */
    readonly country: string,
    readonly amountMicroUsd: MicroUsd,
    readonly treatyClaimed: boolean,
  ) {
    super();
  }
}

/** A payout is for the use of a payee's equipment. */
const PAYOUT: IncomeType = 'industrial_royalties';

/** @throws DomainError `country_unknown` */
@QueryHandler(TaxComplianceQuery)
export class TaxComplianceHandler implements IQueryHandler<TaxComplianceQuery> {
  constructor(
    private readonly rates: VatRates,
    private readonly ages: TableAges,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(query: TaxComplianceQuery): Promise<TaxCompliance> {
    return Promise.resolve(this.#answer(query));
  }

  #answer({ country, amountMicroUsd, treatyClaimed }: TaxComplianceQuery): TaxCompliance {
    demandCountry(country, this.rates);
    const vat = this.rates.standardRate(country, null, instant(this.clock));
    if (!vat) throw new Error(`the table has no rate for ${country}`);
    const payment = { country, incomeType: PAYOUT, amountMicroUsd, treatyClaimed };
    const withheld = withholdingOn(payment, this.rates);
    return {
      country,
      grossMicroUsd: amountMicroUsd,
      incomeType: PAYOUT,
      treatyClaimed,
      withheld,
      netMicroUsd: amountMicroUsd - withheld.withheldMicroUsd,
      vat,
      stale: this.ages.stale({ vat: vat.asOf, withholding: withheld.asOf }),
    };
  }
}
