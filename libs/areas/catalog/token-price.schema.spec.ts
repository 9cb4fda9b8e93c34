import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from './catalog.parser.js';
import { unpricedClasses } from './token-price.schema.js';

const FILE = '/etc/quipu/catalog.yaml';

describe('a price with classes and tiers', () => {
  const model = (price: string) =>
    `rigs: [{ name: up, kind: openai, base_url: 'http://up/v1' }]
models:
  - { id: a, owned_by: o, rigs: [up], context: 1,
      price: { input_usd_per_mtok: 2, output_usd_per_mtok: 10, ${price} } }`;
  const priceOf = (price: string) => parseCatalog(model(price), FILE).models[0]?.price;

  it('reads every field', () => {
    const price = priceOf(`cache_read_usd_per_mtok: 0.1, cache_write_1h_usd_per_mtok: 4,
      tiers: [{ above_input_tokens: 200000, input_usd_per_mtok: 4 }],
      service_tiers: { flex: { percent: 50 }, priority: { input_usd_per_mtok: 5, tiers: [] } }`);
    expect(price).toEqual({
      inputMicroUsdPerMtok: '2000000',
      outputMicroUsdPerMtok: '10000000',
      classes: { cache_read_tokens: '100000', cache_write_1h_tokens: '4000000' },
      tiers: [{ aboveInputTokens: 200_000, mode: 'whole', prices: { input_tokens: '4000000' } }],
      serviceTiers: {
        flex: { percent: 50, prices: {} },
        priority: { percent: 100, prices: { input_tokens: '5000000' }, tiers: [] },
      },
    });
  });

  it('charges a class without a price of its own as another one, and says so', () => {
    const price = priceOf('cache_read_usd_per_mtok: 0.1, cache_write_5m_usd_per_mtok: 2.5');
    expect(price && unpricedClasses(price)).toEqual([
      'cache_write_30m_tokens as cache_write_5m_tokens',
      'cache_write_1h_tokens as fresh input',
      'audio_input_tokens as fresh input',
      'cache_read_audio_tokens as fresh input',
      'image_input_tokens as fresh input',
      'reasoning_tokens as output',
      'audio_output_tokens as output',
      'image_output_tokens as output',
    ]);
  });

  it('reads searches, places and periods', () => {
    const price = priceOf(`search_usd_per_thousand: 10, residency_percent: { us: 110 },
      periods: [
        { name: later, valid_from: 2027-01-01, input_usd_per_mtok: 3, output_usd_per_mtok: 12 },
        { name: peak, valid_until: '2027-01-01T01:00:00+01:00', percent: 200,
          daily: { from: '01:00', to: '04:00' }, days: [mon, fri] }]`);
    expect(price).toEqual({
      inputMicroUsdPerMtok: '2000000',
      outputMicroUsdPerMtok: '10000000',
      residencyPercent: { us: 110 },
      searchMicroUsdPerThousand: '10000000',
      periods: [
        {
          name: 'later',
          from: '2027-01-01T00:00:00.000Z',
          percent: 100,
          price: { inputMicroUsdPerMtok: '3000000', outputMicroUsdPerMtok: '12000000' },
        },
        {
          name: 'peak',
          until: '2027-01-01T00:00:00.000Z',
          daily: { from: '01:00', until: '04:00' },
          days: ['mon', 'fri'],
          percent: 200,
        },
      ],
    });
  });

  const period = (written: string) => `periods: [{ name: peak, ${written} }]`;

  it.each([
    [period('percent: 200'), 'price.periods[0].valid_from or valid_until, daily or days'],
    [period('days: [mon]'), 'price.periods[0].input_usd_per_mtok must be there, or percent'],
    [
      period('days: [mon], percent: 200, input_usd_per_mtok: 1'),
      'price.periods[0].percent is for a period without prices',
    ],
    [
      period('days: [mon], output_usd_per_mtok: 1'),
      'price.periods[0].input_usd_per_mtok must be there',
    ],
    [
      period('percent: 9, valid_from: 2027-01-02, valid_until: 2027-01-02'),
      'price.periods[0].valid_until must be after valid_from',
    ],
    [period('percent: 9, valid_from: tomorrow'), 'price.periods[0].valid_from must be a date'],
    [period("percent: 9, daily: { from: '24:00', to: '01:00' }"), 'price.periods[0].daily.from'],
    [
      'periods: [{ name: a, days: [mon], percent: 9 }, { name: a, days: [tue], percent: 9 }]',
      'price.periods[1].name is the name of another period',
    ],
    [
      period(`days: [mon], input_usd_per_mtok: 2,
        tiers: [{ above_input_tokens: 9, input_usd_per_mtok: 1 }]`),
      'price.periods[0].tiers[0].input_usd_per_mtok must not be below',
    ],
    ['residency_percent: { US: 110 }', 'price.residency_percent.US'],
    ['search_usd_per_thousand: -1', 'price.search_usd_per_thousand must not be negative'],
    ['cache_read_usd_per_mtok: -1', 'price.cache_read_usd_per_mtok must not be negative'],
    ['cached_usd_per_mtok: 1', 'cached_usd_per_mtok'],
    ['tiers: [{ above_input_tokens: 0 }]', 'price.tiers[0].above_input_tokens'],
    [
      'tiers: [{ above_input_tokens: 9, input_usd_per_mtok: 1 }]',
      'price.tiers[0].input_usd_per_mtok must not be below the price of less input',
    ],
    [
      'tiers: [{ above_input_tokens: 9 }, { above_input_tokens: 9 }]',
      'price.tiers[1].above_input_tokens must be above the tier before it',
    ],
    [
      'tiers: [{ above_input_tokens: 8, mode: excess }, { above_input_tokens: 9 }]',
      'price.tiers[1].mode excess is for a price with one tier',
    ],
    [
      'tiers: [{ above_input_tokens: 8, mode: excess, output_usd_per_mtok: 11 }]',
      'price.tiers[0].output_usd_per_mtok is for input',
    ],
    ['service_tiers: { Flex: { percent: 50 } }', 'price.service_tiers.Flex'],
    ['service_tiers: { flex: { percent: 0 } }', 'price.service_tiers.flex.percent'],
  ])('rejects %s', (written, message) => {
    expect(() => parseCatalog(model(written), FILE)).toThrow(message);
  });
});
