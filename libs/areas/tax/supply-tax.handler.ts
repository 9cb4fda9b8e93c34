import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type SupplyTax, supplyTax } from './supply.js';
import { TaxStatuses } from './tax-statuses.js';
import { TAX_SETTINGS, type TaxSettings } from './tax.settings.js';
import { VatRates } from './vat-rates.js';

/** How the charges of an account are taxed; null without a country of the seller or the holder. */
export class SupplyTaxQuery extends Query<SupplyTax | null> {
  constructor(
    readonly accountId: string,
    /** ISO 8601 UTC. */
    readonly at: string,
  ) {
    super();
  }
}

@QueryHandler(SupplyTaxQuery)
export class SupplyTaxHandler implements IQueryHandler<SupplyTaxQuery> {
  constructor(
    private readonly statuses: TaxStatuses,
    @Inject(TAX_SETTINGS) private readonly settings: TaxSettings,
    private readonly rates: VatRates,
  ) {}

  async execute({ accountId, at }: SupplyTaxQuery): Promise<SupplyTax | null> {
    const { sellerCountry } = this.settings;
    if (sellerCountry === null) return null;
    const { status } = await this.statuses.find(accountId);
    return status ? (supplyTax(sellerCountry, status, at, this.rates) ?? null) : null;
  }
}
