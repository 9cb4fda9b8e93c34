import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  MODEL_METERS,
  sideOf,
  TOKEN_METERS,
  TOKEN_PARTS,
  type TokenMeter,
} from '#events/token-meters.js';
import { type ContextTier, type TokenPrice } from '#events/token-price.vocabulary.js';
import { withinHold } from './paid-work/within-hold.js';
import { priceOf } from './price.js';
import {
  chargedTokenLines,
  heldTokenLines,
  inputTokensOf,
  periodAt,
  tierOf,
  type TokenUnits,
  tokenUnitPrice,
  withoutMedia,
} from './token-price.js';

const base: TokenPrice = {
  inputMicroUsdPerMtok: '2000000',
  outputMicroUsdPerMtok: '10000000',
  classes: { cache_read_tokens: '100000', cache_write_5m_tokens: '2500000' },
  tiers: [
    {
      aboveInputTokens: 200,
      mode: 'whole',
      prices: { input_tokens: '4000000', cache_read_tokens: '200000', output_tokens: '15000000' },
    },
  ],
  serviceTiers: {
    flex: { percent: 50, prices: { output_tokens: '4000000' } },
    priority: { percent: 200, prices: {}, tiers: [] },
  },
};

const unit = (meter: TokenMeter, tier = {}) => tokenUnitPrice(base, meter, tier);
const mtok = (unitPriceMicroUsd: string) => ({ unitPriceMicroUsd, perUnits: 1_000_000 });
const hundredfold = (unitPriceMicroUsd: string) => ({ unitPriceMicroUsd, perUnits: 100_000_000 });

describe('the price of a class', () => {
  it('is its own, or that of fresh input or output', () => {
    expect(unit('cache_read_tokens')).toEqual(mtok('100000'));
    expect(unit('audio_input_tokens')).toEqual(mtok('2000000'));
    expect(unit('reasoning_tokens')).toEqual(mtok('10000000'));
  });

  it('of a write without a stated life is the price for five minutes, if only that exists', () => {
    expect(unit('cache_write_30m_tokens')).toEqual(mtok('2500000'));
    expect(unit('cache_write_1h_tokens')).toEqual(mtok('2000000'));
  });

  it('in a context tier is the price of the tier, else of the tier below it', () => {
    const above = { aboveInputTokens: 200 };
    expect(unit('cache_read_tokens', above)).toEqual(mtok('200000'));
    expect(unit('cache_write_5m_tokens', above)).toEqual(mtok('2500000'));
    expect(unit('audio_input_tokens', above)).toEqual(mtok('4000000'));
  });

  it('in a service tier is stated there, else the price of the model times the factor', () => {
    expect(unit('output_tokens', { service: 'flex' })).toEqual(mtok('4000000'));
    expect(unit('input_tokens', { service: 'flex' })).toEqual(hundredfold('100000000'));
    const above = { aboveInputTokens: 200 };
    expect(unit('input_tokens', { service: 'flex', ...above })).toEqual(hundredfold('200000000'));
  });

  it('in a service tier with tiers of its own has none of the model', () => {
    expect(tierOf(base, 201, { service: 'priority' })).toEqual({
      tier: { service: 'priority' },
      mode: 'whole',
    });
    for (const service of ['unknown', 'constructor']) {
      expect(tierOf(base, 201, { service }).tier).toEqual({ aboveInputTokens: 200 });
      expect(unit('input_tokens', { service })).toEqual(mtok('2000000'));
    }
  });
});

describe('the lines of a charge', () => {
  it('name the tier, whose edge is "more than" and counts cached input', () => {
    const units = { input_tokens: 1, cache_read_tokens: 200, output_tokens: 3 };
    expect(chargedTokenLines(units, base)).toEqual([
      { meter: 'input_tokens', quantity: 1, tier: { aboveInputTokens: 200 }, ...mtok('4000000') },
      { meter: 'output_tokens', quantity: 3, tier: { aboveInputTokens: 200 }, ...mtok('15000000') },
      {
        meter: 'cache_read_tokens',
        quantity: 200,
        tier: { aboveInputTokens: 200 },
        ...mtok('200000'),
      },
    ]);
    const [line] = chargedTokenLines({ ...units, cache_read_tokens: 199 }, base);
    expect(line).toEqual({ meter: 'input_tokens', quantity: 1, ...mtok('2000000') });
  });

  it('price only the excess above the edge, of fresh input first', () => {
    const price: TokenPrice = {
      ...base,
      tiers: [{ aboveInputTokens: 100, mode: 'excess', prices: { input_tokens: '4000000' } }],
    };
    const units = { input_tokens: 60, cache_read_tokens: 70, output_tokens: 9 };
    expect(chargedTokenLines(units, price)).toMatchObject([
      { meter: 'input_tokens', quantity: 30, unitPriceMicroUsd: '2000000' },
      { meter: 'input_tokens', quantity: 30, unitPriceMicroUsd: '4000000' },
      { meter: 'output_tokens', quantity: 9, unitPriceMicroUsd: '10000000' },
      { meter: 'cache_read_tokens', quantity: 70, unitPriceMicroUsd: '100000' },
    ]);
  });
});

const PEAK = Date.parse('2026-11-25T02:00:00.000Z');

describe('a price with periods, places and searches', () => {
  const dated: TokenPrice = {
    ...base,
    residencyPercent: { us: 110 },
    searchMicroUsdPerThousand: '10000000',
    periods: [
      {
        name: 'from_2027',
        from: '2027-01-01T00:00:00.000Z',
        percent: 100,
        price: { inputMicroUsdPerMtok: '3000000', outputMicroUsdPerMtok: '12000000' },
      },
      {
        name: 'peak',
        daily: { from: '01:00', until: '04:00' },
        days: ['mon', 'tue', 'wed', 'thu', 'fri'],
        percent: 200,
      },
      { name: 'night', daily: { from: '22:00', until: '01:00' }, days: ['wed'], percent: 90 },
    ],
  };
  const at = (instant: string) => periodAt(dated, Date.parse(instant))?.name;

  it('has the first period of the instant, from its first minute to before its end', () => {
    expect(at('2026-12-31T23:59:59.999Z')).toBeUndefined();
    expect(at('2027-01-01T00:00:00.000Z')).toBe('from_2027');
    expect(at('2026-11-25T00:59:59.999Z')).toBeUndefined();
    expect(at('2026-11-25T01:00:00.000Z')).toBe('peak');
    expect(at('2026-11-25T03:59:59.999Z')).toBe('peak');
    expect(at('2026-11-25T04:00:00.000Z')).toBeUndefined();
    expect(at('2026-11-28T02:00:00.000Z')).toBeUndefined();
    expect(periodAt(dated, PEAK)?.name).toBe('peak');
  });

  it('has the hours after midnight of a day that has them', () => {
    expect(at('2026-11-25T22:00:00.000Z')).toBe('night');
    expect(at('2026-11-26T00:59:00.000Z')).toBe('night');
    expect(at('2026-11-25T00:30:00.000Z')).toBeUndefined();
    expect(at('2026-11-26T22:00:00.000Z')).toBeUndefined();
  });

  it('multiplies the factors, and names them', () => {
    const [input] = chargedTokenLines({ input_tokens: 9 }, dated, {
      service: 'flex',
      period: 'peak',
      residency: 'us',
    });
    expect(input).toEqual({
      tier: { service: 'flex', period: 'peak', residency: 'us' },
      meter: 'input_tokens',
      quantity: 9,
      unitPriceMicroUsd: String(2_000_000 * 50 * 200 * 110),
      perUnits: 1_000_000_000_000,
    });
  });

  it('has only the prices of a period with prices of its own', () => {
    const scope = { period: 'from_2027', service: 'flex', residency: 'us' };
    expect(chargedTokenLines({ input_tokens: 300 }, dated, scope)).toEqual([
      { tier: { period: 'from_2027' }, meter: 'input_tokens', quantity: 300, ...mtok('3000000') },
    ]);
  });

  it('charges searches by the thousand, whatever the tokens cost', () => {
    const units = { input_tokens: 1, output_tokens: 1, searches: 3 };
    const scope = { period: 'peak', residency: 'us' };
    expect(chargedTokenLines(units, dated, scope).at(-1)).toEqual({
      tier: { period: 'peak' },
      meter: 'searches',
      quantity: 3,
      unitPriceMicroUsd: '10000000',
      perUnits: 1_000,
    });
    expect(chargedTokenLines(units, base)).toHaveLength(2);
  });
});

/** A price that the catalog accepts: no price falls with more input. */
const prices: fc.Arbitrary<TokenPrice> = fc
  .record({
    input: fc.nat(9_000_000),
    output: fc.nat(9_000_000),
    classes: fc.dictionary(fc.constantFrom(...TOKEN_PARTS), fc.nat(9_000_000), { maxKeys: 5 }),
    edges: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 2 }),
    mode: fc.constantFrom<ContextTier['mode']>('whole', 'excess'),
    rise: fc.integer({ min: 0, max: 5_000_000 }),
    percent: fc.integer({ min: 1, max: 400 }),
  })
  .map(({ input, output, classes, edges, mode, rise, percent }) => {
    const all: Partial<Record<TokenMeter, number>> = {
      input_tokens: input,
      output_tokens: output,
      ...classes,
    };
    const raised = (times: number) =>
      Object.fromEntries(
        Object.entries(all)
          .filter(([meter]) => mode === 'whole' || sideOf(meter as TokenMeter) === 'input_tokens')
          .map(([meter, price]) => [meter, String(price + rise * times)]),
      );
    return {
      inputMicroUsdPerMtok: String(input),
      outputMicroUsdPerMtok: String(output),
      classes: Object.fromEntries(
        Object.entries(classes).map(([part, price]) => [part, String(price)]),
      ),
      tiers: edges
        .toSorted((one, other) => one - other)
        .slice(0, mode === 'excess' ? 1 : 2)
        .map((aboveInputTokens, n) => ({ aboveInputTokens, mode, prices: raised(n + 1) })),
      serviceTiers: { flex: { percent, prices: {} } },
      residencyPercent: { us: percent },
      searchMicroUsdPerThousand: String(input),
      periods: [{ name: 'peak', percent }],
    };
  });

const someUnits: fc.Arbitrary<TokenUnits> = fc.dictionary(
  fc.constantFrom(...MODEL_METERS),
  fc.nat(40),
);
const scopes = fc.record(
  {
    service: fc.constantFrom('flex', 'unknown'),
    period: fc.constantFrom('peak', 'unknown'),
    residency: fc.constantFrom('us', 'unknown'),
  },
  { requiredKeys: [] },
);

/** In millionths of a micro-dollar, so that no rounding hides a difference. */
const exact = (lines: readonly PriceLine[]): bigint =>
  lines.reduce(
    (sum, { quantity, unitPriceMicroUsd, perUnits }) =>
      sum + (BigInt(quantity) * BigInt(unitPriceMicroUsd) * 10n ** 12n) / BigInt(perUnits),
    0n,
  );

describe('every price', () => {
  it('never falls when a class has a token more', () => {
    fc.assert(
      fc.property(
        prices,
        someUnits,
        scopes,
        fc.constantFrom(...MODEL_METERS),
        (price, units, scope, meter) => {
          const more = { ...units, [meter]: (units[meter] ?? 0) + 1 };
          const before = exact(chargedTokenLines(units, price, scope));
          expect(before).toBeGreaterThanOrEqual(0n);
          expect(exact(chargedTokenLines(more, price, scope))).toBeGreaterThanOrEqual(before);
        },
      ),
    );
  });

  it('has every token on one line', () => {
    fc.assert(
      fc.property(prices, someUnits, scopes, (price, units, scope) => {
        const lines = chargedTokenLines(units, price, scope);
        for (const meter of TOKEN_METERS) {
          const own = lines.filter((line) => line.meter === meter);
          expect(own.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(units[meter] ?? 0);
        }
      }),
    );
  });

  it('is within the hold of its bound, with all tokens on the lines of the charge', () => {
    fc.assert(
      fc.property(
        prices,
        someUnits,
        scopes,
        fc.boolean(),
        fc.nat(9),
        (price, some, scope, hasMedia, more) => {
          const units = hasMedia ? some : withoutMedia(some);
          const inputTokens = inputTokensOf(units);
          const { searches: searches = 0, ...tokens } = units;
          const all = Object.values(tokens).reduce((sum, count) => sum + count, 0);
          const bound = {
            inputTokens: inputTokens + more,
            outputTokens: all - inputTokens,
            searches,
          };
          const held = heldTokenLines(bound, price, { hasMedia, ...scope });
          const { charged, excess } = withinHold(chargedTokenLines(units, price, scope), held);
          expect(excess).toEqual([]);
          expect(priceOf(charged)).toBeLessThanOrEqual(priceOf(held));
        },
      ),
    );
  });
});
