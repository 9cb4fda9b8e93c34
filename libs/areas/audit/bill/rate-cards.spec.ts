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

describe('the price of a model in a bill', () => {
  const cardOf = {
    event: {
      type: 'RateCardPublished',
      data: {
        version: 1,
        prices: {
          sol: {
            inputMicroUsdPerMtok: '2000000',
            outputMicroUsdPerMtok: '10000000',
            serviceTiers: { flex: { percent: 50, prices: {} } },
            residencyPercent: { us: 110 },
            searchMicroUsdPerThousand: '10000000',
            periods: [{ name: 'peak', daily: { from: '01:00', until: '04:00' }, percent: 200 }],
          },
        },
        computePrices: {},
        meterPrices: {},
        batchDiscountPercent: 50,
      },
    },
  } as unknown as ArchivedEvent;
  const line = (meter: string, unitPrice: bigint, perUnits: bigint, tier: object) =>
    ({
      movements: [
        {
          kind: 'charge',
          month: MONTH,
          data: { rateCardVersion: 1, model: 'sol' },
          lines: [{ meter, quantity: 3n, unitPrice, perUnits, model: null, tier }],
        },
      ],
    }) as unknown as AccountHistory;

  it('is recomputed with its factors', () => {
    const tier = { service: 'flex', period: 'peak', residency: 'us' };
    const unit = 2_000_000n * 50n * 200n * 110n;
    const charge = line('input_tokens', unit, 1_000_000_000_000n, tier);
    expect(comparePrices(charge, MONTH, [cardOf])).toMatchObject({ ofModel: 1 });
    const other = line('input_tokens', unit, 1_000_000_000_000n, { ...tier, period: 'calm' });
    expect(() => comparePrices(other, MONTH, [cardOf])).toThrow('another price of input_tokens');
  });

  it('is recomputed for searches', () => {
    const charge = line('searches', 10_000_000n, 1_000n, {});
    expect(comparePrices(charge, MONTH, [cardOf])).toMatchObject({ ofModel: 1 });
    const dearer = line('searches', 10_000_001n, 1_000n, {});
    expect(() => comparePrices(dearer, MONTH, [cardOf])).toThrow('another price of searches');
  });
});
