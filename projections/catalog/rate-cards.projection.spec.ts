import { describe, expect, it } from '@jest/globals';
import { RateCardPublished } from '#events/catalog/rate-card.events.js';
import { rateCardKey, rateCards } from './rate-cards.projection.js';

const published = RateCardPublished.of({
  version: 12,
  effectiveFrom: '2026-03-01T09:30:00.000Z',
  prices: { 'acme/llama-3.1': { inputMicroUsdPerMtok: '150000', outputMicroUsdPerMtok: '600000' } },
  computePrices: { 'local-vllm': { microUsdPerHour: '1990000' } },
  meterPrices: { knots: { unitPriceMicroUsd: '3', perUnits: 100 } },
  batchDiscountPercent: 50,
  sourceSha256: 'a'.repeat(64),
  publishedAt: '2026-03-01T09:30:00.000Z',
});

describe('rate cards', () => {
  it('keeps one document for each version, with ids as values', () => {
    const [key = ''] = rateCards.keys(published);
    expect(key).toBe('0000000012');
    expect(rateCards.project(published, rateCards.initial(key), key)).toEqual({
      version: 12,
      effectiveFrom: '2026-03-01T09:30:00.000Z',
      publishedAt: '2026-03-01T09:30:00.000Z',
      sourceSha256: 'a'.repeat(64),
      batchDiscountPercent: 50,
      models: [
        {
          modelId: 'acme/llama-3.1',
          inputMicroUsdPerMtok: '150000',
          outputMicroUsdPerMtok: '600000',
        },
      ],
      compute: [{ rig: 'local-vllm', microUsdPerHour: '1990000' }],
      meters: [{ meter: 'knots', unitPriceMicroUsd: '3', perUnits: 100 }],
    });
  });

  it('orders its keys as versions', () => {
    const versions = [100, 9, 10, 1];
    expect(versions.map(rateCardKey).sort()).toEqual([1, 9, 10, 100].map(rateCardKey));
  });
});
