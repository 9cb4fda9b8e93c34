import { type TaxStatusSet } from '#events/tax/tax-status.events.js';
import { type VatRate, type VatRates } from './vat-rates.js';

/** How a service to the holder of an account is taxed; the price includes the tax. */
export interface SupplyTax {
  readonly country: string;
  readonly region: string | null;
  readonly treatment: 'taxable' | 'exempt' | 'reverse_charge' | 'outside_scope';
  readonly kind: string;
  /** In millionths. */
  readonly ratePpm: number;
  readonly source: string;
}

type Status = Omit<TaxStatusSet['data'], 'accountId' | 'setAt' | 'treatyClaimed'>;

/**
 * The rules for services that are supplied by electronic means. At home every customer pays the tax
 * of the place. A business in another member state of the Union accounts for the tax itself
 * (reverse charge), whether the seller is in the Union or not; a consumer there pays the tax of the
 * consumer's country (one-stop shop). Elsewhere the seller is taken for not registered: outside the
 * scope.
 *
 * @param at ISO 8601 UTC
 * @returns undefined for a place that the table lacks
 */
export const supplyTax = (
  sellerCountry: string,
  { country, region, taxExempt, business }: Status,
  at: string,
  rates: VatRates,
): SupplyTax | undefined => {
  const rate = rates.standardRate(country, region, at);
  if (!rate) return undefined;
  const place = { country, region, kind: rate.kind, source: rate.source };
  const untaxed = (treatment: 'exempt' | 'reverse_charge' | 'outside_scope'): SupplyTax => ({
    ...{ ...place, treatment, ratePpm: 0 },
  });
  if (taxExempt) return untaxed('exempt');
  if (hasNoTax(rate)) return untaxed('outside_scope');
  const taxable: SupplyTax = { ...place, treatment: 'taxable', ratePpm: rate.ratePpm };
  if (country === sellerCountry) return taxable;
  if (!rates.isInUnion(country)) return untaxed('outside_scope');
  return business ? untaxed('reverse_charge') : taxable;
};

const hasNoTax = ({ ratePpm }: VatRate): boolean => ratePpm === 0;
