import { describe, expect, it } from '@jest/globals';
import { supplyTax } from './supply.js';
import { VatRates } from './vat-rates.js';

const rates = new VatRates();
const AT = '2026-11-30T23:59:59.999Z';
const CONSUMER = { region: null, taxExempt: false, business: false };

describe('the tax of a service', () => {
  it.each([
    ['at home', 'DE', 'DE', {}, 'taxable', 190_000],
    ['at home, to a business', 'DE', 'DE', { business: true }, 'taxable', 190_000],
    ['to a consumer in the Union', 'DE', 'FI', {}, 'taxable', 255_000],
    ['to a consumer in the Union, from elsewhere', 'US', 'FI', {}, 'taxable', 255_000],
    ['to a business in the Union', 'DE', 'FI', { business: true }, 'reverse_charge', 0],
    ['to someone exempt', 'DE', 'DE', { taxExempt: true }, 'exempt', 0],
    ['abroad', 'DE', 'CH', {}, 'outside_scope', 0],
    ['where there is no VAT', 'US', 'US', {}, 'outside_scope', 0],
    ['with a tax of the province', 'CA', 'CA', { region: 'QC' }, 'taxable', 149_750],
  ] as const)('%s', (_, seller, country, change, treatment, ratePpm) => {
    const tax = supplyTax(seller, { ...CONSUMER, country, ...change }, AT, rates);
    expect(tax).toMatchObject({
      country,
      treatment,
      ratePpm,
      source: expect.stringMatching(/^sales-tax .* \(\d{4}-\d\d-\d\d\)$/),
    });
  });

  it('is not stated for a place that the table lacks', () => {
    expect(supplyTax('DE', { ...CONSUMER, country: 'ZZ' }, AT, rates)).toBeUndefined();
  });
});
