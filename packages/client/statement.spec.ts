import { describe, expect, it } from '@jest/globals';
import { verifyStatement } from './statement.js';

const STATEMENT = {
  month: '2026-11',
  opening_micro_usd: '1000',
  closing_micro_usd: '900',
  lines: [
    {
      quantity: '9',
      unit_price_micro_usd: '1500000',
      per_units: 1_000_000,
      amount_micro_usd: '13',
    },
    { quantity: '1', unit_price_micro_usd: '1', per_units: 1, amount_micro_usd: '1' },
    { quantity: '243', unit_price_micro_usd: '1', per_units: 1, amount_micro_usd: '243' },
  ],
  deposits: [{ amount_micro_usd: '100' }],
  adjustments: [{ amount_micro_usd: '70' }, { amount_micro_usd: '-13' }],
  tax: { rate_pct: 8.875, gross_micro_usd: '200', tax_micro_usd: '16' },
  totals: { deposited_micro_usd: '100', charged_micro_usd: '257', adjusted_micro_usd: '57' },
};

describe('a statement', () => {
  it('is the sum of its lines, deposits and adjustments', () => {
    expect(verifyStatement(STATEMENT)).toEqual({
      month: '2026-11',
      openingMicroUsd: 1_000n,
      depositedMicroUsd: 100n,
      chargedMicroUsd: 257n,
      adjustedMicroUsd: 57n,
      closingMicroUsd: 900n,
    });
    expect(() => verifyStatement({ ...STATEMENT, tax: null })).not.toThrow();
  });

  it.each([
    ['closing_micro_usd', { closing_micro_usd: '899' }],
    ['charged_micro_usd', { totals: { ...STATEMENT.totals, charged_micro_usd: '258' } }],
    ['amount_micro_usd', { lines: [{ ...STATEMENT.lines[0], amount_micro_usd: '14' }] }],
    ['tax_micro_usd', { tax: { ...STATEMENT.tax, tax_micro_usd: '17' } }],
    ['gross_micro_usd', { tax: { ...STATEMENT.tax, gross_micro_usd: '257' } }],
  ])('does not verify with another %s', (name, change) => {
    expect(() => verifyStatement({ ...STATEMENT, ...change })).toThrow(`${name} is stated as`);
  });

  it('keeps the last digit of amounts that no double has', () => {
    const opening = '9007199254740993000000001';
    const none = { deposited_micro_usd: '0', charged_micro_usd: '0', adjusted_micro_usd: '0' };
    const lists = { lines: [], deposits: [], adjustments: [], tax: null, totals: none };
    const ends = { opening_micro_usd: opening, closing_micro_usd: opening };
    const { closingMicroUsd } = verifyStatement({ month: '2026-11', ...lists, ...ends });
    expect(closingMicroUsd).toBe(BigInt(opening));
  });
});
