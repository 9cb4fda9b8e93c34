import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { taxStatuses } from '#projections/tax/tax-status.projection.js';
import { type SupplyTax, supplyTax } from './supply.js';
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
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(TAX_SETTINGS) private readonly settings: TaxSettings,
    private readonly rates: VatRates,
  ) {}

  async execute({ accountId, at }: SupplyTaxQuery): Promise<SupplyTax | null> {
    const { sellerCountry } = this.settings;
    if (sellerCountry === null) return null;
    const { document } = await this.projections.get(taxStatuses, accountId);
    return document ? (supplyTax(sellerCountry, document, at, this.rates) ?? null) : null;
  }
}
