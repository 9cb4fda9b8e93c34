import { describe, expect, it } from '@jest/globals';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { withinHold } from '#platform/ledger/paid-work/within-hold.js';
import { priceOf } from '#platform/ledger/price.js';
import { type Usage } from './chat-usage.js';
import { FURTHER_CALLS_MAX, type TokenRate, TokenTariff } from './token-tariff.js';

const PEAK = Date.parse('2026-11-25T02:00:00.000Z');
const CALM = Date.parse('2026-11-25T12:00:00.000Z');

const sol: TokenRate = {
  version: 3,
  batchDiscountPercent: 33,
  inputMicroUsdPerMtok: '2000000',
  outputMicroUsdPerMtok: '10000000',
  classes: { cache_read_tokens: '100000' },
  tiers: [{ aboveInputTokens: 500, mode: 'whole', prices: { input_tokens: '4000000' } }],
  serviceTiers: {
    flex: { percent: 50, prices: {} },
    priority: { percent: 200, prices: {} },
  },
  residencyPercent: { us: 110 },
  searchMicroUsdPerThousand: '10000000',
  periods: [{ name: 'peak', daily: { from: '01:00', until: '04:00' }, percent: 200 }],
};
const luna: TokenRate = {
  version: 3,
  batchDiscountPercent: 33,
  inputMicroUsdPerMtok: '100000',
  outputMicroUsdPerMtok: '500000',
};
const astra: TokenRate = { ...luna, inputMicroUsdPerMtok: '90000000' };
const rates: Readonly<Record<string, TokenRate>> = { sol, luna, astra };
const names: Readonly<Record<string, string>> = { 'upstream-sol': 'sol', 'upstream-luna': 'luna' };

const market = {
  rateFor: (id: string) => rates[id],
  idOf: (name: string) => names[name] ?? (name in rates ? name : undefined),
};
const tariffOf = (rate = sol, atMs = CALM) => new TokenTariff(market, 'sol', rate, atMs);
const used = (more: Partial<Usage> = {}): Usage => ({
  promptTokens: 100,
  completionTokens: 10,
  source: 'provider',
  ...more,
});
const unitOf = ({ unitPriceMicroUsd, perUnits }: PriceLine) => Number(unitPriceMicroUsd) / perUnits;
const charged = (usage: Usage, terms = {}, atMs = CALM) =>
  tariffOf(sol, atMs).charged(usage, terms);

describe('what a request costs', () => {
  it('is charged in the service tier that the rig states, and never dearer than asked for', () => {
    const unit = (service: string | undefined, serviceTier: string | undefined) => {
      const usage = used(serviceTier === undefined ? {} : { serviceTier });
      const [line] = charged(usage, service === undefined ? {} : { service }).lines;
      return line && unitOf(line);
    };
    expect(unit(undefined, undefined)).toBe(2);
    expect(unit('priority', 'priority')).toBe(4);
    expect(unit('priority', undefined)).toBe(2);
    expect(unit('flex', 'priority')).toBe(1);
    expect(unit(undefined, 'priority')).toBe(2);
    expect(unit('auto', 'constructor')).toBe(2);
  });

  it('has the place that the rig states, and never dearer than the one asked for', () => {
    const tierOf = (usage: Usage, terms: object) => charged(usage, terms).lines[0]?.tier;
    expect(tierOf(used(), { residency: 'us' })).toEqual({ residency: 'us' });
    expect(tierOf(used({ residency: 'global' }), { residency: 'us' })).toBeUndefined();
    expect(tierOf(used({ residency: 'us' }), {})).toBeUndefined();
  });

  it('has the period of its start, and no other', () => {
    expect(charged(used(), {}, PEAK).lines[0]).toMatchObject({ tier: { period: 'peak' } });
    expect(tariffOf(sol, PEAK).held({ inputTokens: 1, outputTokens: 1 }).map(unitOf)).toEqual([
      4, 20,
    ]);
    expect(charged(used()).lines[0]).not.toHaveProperty('tier');
  });

  it('holds and charges searches', () => {
    const [, , search] = tariffOf().held({ inputTokens: 1, outputTokens: 1, searches: 10 });
    expect(search).toMatchObject({ meter: 'searches', quantity: 10, perUnits: 1_000 });
    expect(charged(used({ searches: 3 })).lines.at(-1)).toMatchObject({ quantity: 3 });
  });
});

describe('a line of a batch', () => {
  const bound = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
  const batch = { isBatch: true };

  it('has the discount in an exact unit price, where the model has no batch prices', () => {
    const held = tariffOf().held(bound, { ...batch, inputTokensMax: 100 });
    expect(held.map(unitOf)).toEqual([2 * 0.67, 10 * 0.67]);
    const { lines } = tariffOf().charged(used({ searches: 1 }), batch);
    expect(lines.map(unitOf)).toEqual([2 * 0.67, 10 * 0.67, 10_000]);
    for (const percent of [0, 50, 100]) {
      const [line] = tariffOf({ ...sol, batchDiscountPercent: percent }).held(bound, batch);
      expect(line && unitOf(line)).toBe((4 * (100 - percent)) / 100);
    }
  });

  it('has the batch prices of the model, of which an explicit one wins', () => {
    const prices = { output_tokens: '4500000' };
    const serviceTiers = { ...sol.serviceTiers, batch: { percent: 50, prices } };
    const tariff = tariffOf({ ...sol, serviceTiers });
    expect(tariff.held(bound, { ...batch, inputTokensMax: 100 }).map(unitOf)).toEqual([1, 4.5]);
    const { lines } = tariff.charged(used(), batch);
    expect(lines.map(unitOf)).toEqual([1, 4.5]);
    expect(lines[0]?.tier).toEqual({ service: 'batch' });
    expect(tariff.held(bound, { ...batch, service: 'priority' }).map(unitOf)).toEqual([2, 4.5]);
  });
});

describe('an answer of several calls of models', () => {
  const call = (model: string, more: Partial<Usage> = {}) => ({
    model,
    usage: { promptTokens: 400, completionTokens: 1, ...more },
  });

  it('charges each at the price of its model, in its own step and context tier', () => {
    const { lines, doubts } = charged(
      used({ promptTokens: 600, further: [call('upstream-luna'), call('upstream-sol')] }),
    );
    expect(
      lines.map(({ step, model, tier, ...line }) => [step, model, tier, unitOf(line)]),
    ).toEqual([
      [undefined, undefined, { aboveInputTokens: 500 }, 4],
      [undefined, undefined, { aboveInputTokens: 500 }, 10],
      ['call-2', 'luna', undefined, 0.1],
      ['call-2', 'luna', undefined, 0.5],
      ['call-3', undefined, undefined, 2],
      ['call-3', undefined, undefined, 10],
    ]);
    expect(doubts).toEqual([]);
  });

  it('charges an unknown or a dearer model as the one that was asked for, and says so', () => {
    const unknown = charged(used({ further: [call('absent')] }));
    expect(unknown.doubts).toEqual(['unknown_model']);
    expect(unknown.lines.at(-1)).toMatchObject({ step: 'call-2', unitPriceMicroUsd: '10000000' });
    const dearer = charged(used({ further: [call('astra', { doubts: ['bad_count'] })] }));
    expect(dearer.doubts).toEqual(['bad_count', 'dearer_model']);
    expect(dearer.lines.map(({ model }) => model)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('reads a bounded number of them', () => {
    const further = Array.from({ length: FURTHER_CALLS_MAX + 1 }, () => call('upstream-sol'));
    const { lines, doubts } = charged(used({ further }));
    expect(lines).toHaveLength(2 * (FURTHER_CALLS_MAX + 1));
    expect(doubts).toEqual(['too_many_calls']);
  });

  it('is within the hold of the request, whose bound cuts what is above', () => {
    const held = tariffOf().held({ inputTokens: 450, outputTokens: 50 });
    const { lines } = charged(used({ further: [call('upstream-luna')] }));
    const within = withinHold(lines, held);
    expect(within.excess).toEqual([{ meter: 'input_tokens', quantity: 50 }]);
    expect(priceOf(within.charged)).toBeLessThanOrEqual(priceOf(held));
  });
});

describe('usage as units for work that another one charges', () => {
  it('has the price of each class that has one, and none where there is one price', () => {
    const parts = { cache_read_tokens: 70 };
    expect(tariffOf().used(used({ parts }), {}, 'rig').used[2]).toEqual({
      rig: 'rig',
      meter: 'cache_read_tokens',
      quantity: 70,
      price: { unitPriceMicroUsd: '100000', perUnits: 1_000_000 },
    });
    expect(new TokenTariff(market, 'luna', luna, CALM).used(used(), {}, 'rig').used).toEqual([
      { rig: 'rig', meter: 'input_tokens', quantity: 100 },
      { rig: 'rig', meter: 'output_tokens', quantity: 10 },
    ]);
  });
});
