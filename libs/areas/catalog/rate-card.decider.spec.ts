import { describe, expect, it } from '@jest/globals';
import { RateCardPublished } from '#events/catalog/rate-card.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type PublishRateCard, rateCardDecider } from './rate-card.decider.js';

const NANO = { inputMicroUsdPerMtok: '50000', outputMicroUsdPerMtok: '100000' };
const LLAMA = { inputMicroUsdPerMtok: '150000', outputMicroUsdPerMtok: '600000' };
const GPU = { microUsdPerHour: '1990000' };
const KNOTS = { unitPriceMicroUsd: '3', perUnits: 100 };
const SHA = 'a'.repeat(64);
const OTHER_SHA = 'b'.repeat(64);

const list = {
  prices: { nano: NANO, llama: LLAMA },
  computePrices: { gpu: GPU },
  meterPrices: { knots: KNOTS },
  batchDiscountPercent: 50,
};

const publish = (
  changes: Partial<PublishRateCard['data']>,
  publishedAt = '2026-02-01T00:00:00.000Z',
): PublishRateCard => ({
  type: 'PublishRateCard',
  data: { ...list, sourceSha256: SHA, publishedAt, ...changes },
});

const published = RateCardPublished.of({
  ...list,
  version: 1,
  effectiveFrom: '2026-01-01T00:00:00.000Z',
  publishedAt: '2026-01-01T00:00:00.000Z',
  sourceSha256: SHA,
});

const rateCard = deciderSpecOf(rateCardDecider);

describe('rate card', () => {
  it('starts with version 1, in force from when it was published', () => {
    rateCard.given().when(publish({}, '2026-01-01T00:00:00.000Z')).then(published);
  });

  it('publishes a first card even without prices', () => {
    const none = { prices: {}, computePrices: {}, meterPrices: {}, batchDiscountPercent: 0 };
    rateCard
      .given()
      .when(publish(none, '2026-01-01T00:00:00.000Z'))
      .then(RateCardPublished.of({ ...published.data, ...none }));
  });

  it('takes the same prices for nothing new, whatever else the file says', () => {
    const prices = { llama: LLAMA, nano: NANO };
    rateCard
      .given(published)
      .when(publish({ prices, sourceSha256: OTHER_SHA }))
      .thenNothing();
  });

  const february = '2026-02-01T00:00:00.000Z';
  it.each([
    ['another price', { prices: { nano: NANO, llama: { ...LLAMA, outputMicroUsdPerMtok: '1' } } }],
    [
      'another input price',
      { prices: { nano: { ...NANO, inputMicroUsdPerMtok: '1' }, llama: LLAMA } },
    ],
    ['another discount for batches', { batchDiscountPercent: 40 }],
    ['one model more', { prices: { nano: NANO, llama: LLAMA, tiny: NANO } }],
    ['one model less', { prices: { nano: NANO } }],
    ['another model', { prices: { nano: NANO, constructor: LLAMA } }],
    ['another hourly price', { computePrices: { gpu: { microUsdPerHour: '1' } } }],
    ['no hourly price', { computePrices: {} }],
    ['another price of a meter', { meterPrices: { knots: { ...KNOTS, unitPriceMicroUsd: '4' } } }],
    ['another number of units', { meterPrices: { knots: { ...KNOTS, perUnits: 10 } } }],
    ['no price of a meter', { meterPrices: {} }],
  ])('gives %s the next version', (_, change) => {
    rateCard
      .given(published)
      .when(publish({ ...change, sourceSha256: OTHER_SHA }))
      .then(
        RateCardPublished.of({
          ...list,
          ...change,
          version: 2,
          effectiveFrom: february,
          publishedAt: february,
          sourceSha256: OTHER_SHA,
        }),
      );
  });

  it('is never in force before the card it follows, even when a clock stepped back', () => {
    const december = '2025-12-01T00:00:00.000Z';
    rateCard
      .given(published)
      .when(publish({ prices: {} }, december))
      .then(
        RateCardPublished.of({
          ...published.data,
          prices: {},
          version: 2,
          publishedAt: december,
        }),
      );
  });

  it('returns to earlier prices with a version of its own', () => {
    const changed = RateCardPublished.of({ ...published.data, version: 2, prices: {} });
    const { initialState, decide, evolve } = rateCardDecider;
    const state = [published, changed].reduce(evolve, initialState);
    expect(decide(publish({}), state)).toMatchObject([{ data: { version: 3, ...list } }]);
  });
});
