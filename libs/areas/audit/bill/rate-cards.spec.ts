import { describe, expect, it } from '@jest/globals';
import { type AccountHistory } from './account-history.js';
import { type ArchivedEvent } from './bill-archive.js';
import { comparePrices } from './rate-cards.js';

const MONTH = '2026-02';

const card = {
  event: {
    type: 'RateCardPublished',
    data: {
      version: 1,
      prices: {},
      computePrices: {},
      meterPrices: { knots: { unitPriceMicroUsd: '20', perUnits: 1_000 } },
      batchDiscountPercent: 50,
    },
  },
} as unknown as ArchivedEvent;

const charged = (meter: string, unitPrice: bigint, perUnits: bigint) =>
  ({
    movements: [
      {
        kind: 'charge',
        month: MONTH,
        data: { rateCardVersion: 1 },
        lines: [{ meter, quantity: 3n, unitPrice, perUnits }],
      },
    ],
  }) as unknown as AccountHistory;

describe('the prices of meters in a bill', () => {
  it('are compared with the prices of the card', () => {
    expect(comparePrices(charged('knots', 20n, 1_000n), MONTH, [card])).toMatchObject({
      ofMeter: 1,
      unpriced: new Set(),
    });
  });

  it.each([
    ['a higher price', 21n, 1_000n],
    ['fewer units', 20n, 100n],
  ])('with %s are rejected', (_, unitPrice, perUnits) => {
    expect(() => comparePrices(charged('knots', unitPrice, perUnits), MONTH, [card])).toThrow(
      'rate card 1 has another price of knots',
    );
  });

  it('of which the card says nothing are reported', () => {
    expect(comparePrices(charged('beads', 20n, 1_000n), MONTH, [card])).toMatchObject({
      ofMeter: 0,
      unpriced: new Set(['beads']),
    });
  });
});
