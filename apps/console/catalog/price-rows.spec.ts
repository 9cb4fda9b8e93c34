import { describe, expect, it } from '@jest/globals';
import { type Rates, rowsOf } from './price-rows.js';

const card = (version: number, input: number, meters: Rates['meters'] = []): Rates => ({
  success: true,
  position: '1',
  currency: 'USD',
  rate_card: {
    version,
    effective_from: '2026-11-21T04:48:00.000Z',
    published_at: '2026-11-21T04:48:00.000Z',
    source_sha256: '00',
    batch_discount_percent: 50,
  },
  models: [
    {
      id: 'acme/one',
      owned_by: null,
      input_usd_per_mtok: input,
      output_usd_per_mtok: 2,
      context: null,
      max_output: null,
    },
  ],
  compute: [],
  meters,
});

describe('two rate cards side by side', () => {
  it('has each price once, with its price on both', () => {
    const meter = { meter: 'loom_seconds', usd: 0.5, per: 1 };
    expect(rowsOf(card(2, 3), card(1, 1, [meter]))).toEqual([
      { name: 'acme/one', unit: 'a million tokens in', price: 3, other: 1 },
      { name: 'acme/one', unit: 'a million tokens out', price: 2, other: 2 },
      { name: 'loom_seconds', unit: '1', price: null, other: 0.5 },
    ]);
  });

  it('is the one card where there is no other', () => {
    expect(rowsOf(card(1, 1), null).map(({ other }) => other)).toEqual([null, null]);
  });
});
