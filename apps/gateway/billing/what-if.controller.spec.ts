import { describe, expect, it } from '@jest/globals';
import { ReplayPricesQuery } from '#areas/billing/rerating/replay-prices.handler.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { rentalProduct } from '#areas/rentals/rental.product.js';
import { WhatIfController } from './what-if.controller.js';

const CARD = {
  version: 4,
  effectiveFrom: '2026-11-01T00:00:00.000Z',
  publishedAt: '2026-11-01T00:00:00.000Z',
  sourceSha256: 'a'.repeat(64),
  batchDiscountPercent: 50,
  models: [],
  compute: [{ rig: 'press', microUsdPerHour: '2000000' }],
  meters: [],
};
const LINE = {
  purpose: 'rental',
  model: null,
  meter: 'seconds',
  quantity: 1_800n,
  from: { unitPriceMicroUsd: '1000000', perUnits: 3_600 },
  to: { unitPriceMicroUsd: '2000000', perUnits: 3_600 },
};
const ACCOUNT = {
  accountId: '7',
  ...{ charges: 1, unpriced: 0, charged: 500_000n, repriced: 1_000_000n },
  ...{ rerated: 0n, reratings: 0, lines: [LINE] },
};
const CALLER = { accountId: '7', role: 'renter' };
const DAYS = { from: '2026-11-01', to: '2026-11-02' };

describe('the spend of a period at other prices', () => {
  const asked: ReplayPricesQuery[] = [];
  const execute = (query: unknown): Promise<unknown> => {
    if (query instanceof RateCardQuery) return Promise.resolve({ card: CARD, position: 9n });
    if (query instanceof ReplayPricesQuery) asked.push(query);
    return Promise.resolve({ accounts: [ACCOUNT], position: 9n });
  };
  const areas = { list: [{ products: [rentalProduct] }] };
  const controller = new WhatIfController({ execute } as never, areas as never);
  const find = (query: object) => controller.find({ ...DAYS, ...query }, CALLER as never);

  it('has the price of one rig for the rentals of all', async () => {
    expect(await find({ rig: 'press' })).toMatchObject({
      rate_card: 4,
      rig: 'press',
      charged_usd: '0.5',
      repriced_usd: '1',
      difference_usd: '0.5',
      lines: [{ from_usd: '1', to_usd: '2', to_per: 3_600, difference_usd: '0.5' }],
    });
    const [query] = asked;
    expect(query).toMatchObject({
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-03T00:00:00.000Z',
      order: { accountId: '7', eventsMax: 50_000 },
    });
    expect(query?.order.card.rigs.get('another')).toBe('2000000');
  });

  it('has the price of its own rig for each rental otherwise', async () => {
    await find({});
    expect(asked.at(-1)?.order.card.rigs.get('another')).toBeUndefined();
  });

  it.each<[string, object, object]>([
    ['a rig without an hourly price', { rig: 'nowhere' }, { failure: { param: 'rig' } }],
    ['days in the wrong order', { from: '2026-11-03' }, { code: 'invalid_spend_period' }],
    ['another account', { account_id: '8' }, { message: 'This route needs the role Admin.' }],
  ])('is not given for %s', async (_, query, failure) => {
    await expect(find(query)).rejects.toMatchObject(failure);
  });
});
