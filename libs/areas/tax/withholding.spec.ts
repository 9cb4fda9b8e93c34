import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { VatRates } from './vat-rates.js';
import { type Payment, withholdingOn } from './withholding.js';
import { TREATY_ROWS } from './withholding-rates.js';

const rates = new VatRates();
const PAYMENT: Payment = {
  country: 'MX',
  incomeType: 'industrial_royalties',
  amountMicroUsd: 1_000_000_009n,
  treatyClaimed: true,
};

describe('withholding', () => {
  it('is the rate of the treaty, rounded down, with its article and source', () => {
    expect(withholdingOn(PAYMENT, rates)).toEqual({
      ratePercent: 10,
      withheldMicroUsd: 100_000_000n,
      article: 'Article 12',
      source: expect.stringContaining('Table 1'),
      asOf: '2019-02-28',
    });
  });

  it.each([
    ['without a claim of its benefits', { treatyClaimed: false }],
    ['for income of another kind', { incomeType: 'other_income' }],
    ['for a country without a row', { country: 'BR' }],
  ] as const)('is statutory %s', (_, change) => {
    expect(withholdingOn({ ...PAYMENT, ...change }, rates)).toMatchObject({
      ratePercent: 30,
      withheldMicroUsd: 300_000_002n,
      article: expect.stringContaining('1441'),
    });
  });

  it('is nothing for a payee in the country of the payer', () => {
    const { ratePercent, withheldMicroUsd } = withholdingOn({ ...PAYMENT, country: 'US' }, rates);
    expect([ratePercent, withheldMicroUsd]).toEqual([0, 0n]);
  });

  it('of an unknown country is an error, and not zero', () => {
    expect(() => withholdingOn({ ...PAYMENT, country: 'ZZ' }, rates)).toThrow('no country ZZ');
  });

  it('has one row for each country and kind of income, and each is known', () => {
    const keys = TREATY_ROWS.map(({ country, incomeType }) => `${country} ${incomeType}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { country, ratePercent, article, source, asOf } of TREATY_ROWS) {
      expect(rates.has(country)).toBe(true);
      expect(ratePercent).toBeLessThanOrEqual(30);
      expect([article, source, asOf]).toEqual([
        expect.stringMatching(/^Article \d+$/),
        expect.stringMatching(/^IRS.*https:/),
        expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      ]);
    }
  });

  it('is never above its rate, and rises with the amount', () => {
    const amount = fc.bigInt(0n, 10n ** 18n);
    const country = fc.constantFrom('MX', 'DE', 'BR', 'US');
    fc.assert(
      fc.property(country, amount, amount, fc.boolean(), (of, one, more, treatyClaimed) => {
        const on = (amountMicroUsd: bigint) =>
          withholdingOn({ ...PAYMENT, country: of, amountMicroUsd, treatyClaimed }, rates);
        const { ratePercent, withheldMicroUsd } = on(one);
        expect(withheldMicroUsd * 100n <= one * BigInt(ratePercent)).toBe(true);
        expect((withheldMicroUsd + 1n) * 100n > one * BigInt(ratePercent)).toBe(true);
        expect(on(one + more).withheldMicroUsd >= withheldMicroUsd).toBe(true);
      }),
    );
  });
});
