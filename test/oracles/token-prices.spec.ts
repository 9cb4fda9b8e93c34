import { describe, expect, it } from '@jest/globals';
import { ModelPrice } from '#areas/catalog/token-price.schema.js';
import { converseUsage } from '#areas/inference/rigs/dialects/bedrock/converse-usage.js';
import { geminiUsage } from '#areas/inference/rigs/dialects/gemini/gemini-usage.js';
import { statedUsage } from '#areas/inference/rigs/dialects/openai/openai-usage.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { chargedTokenLines, periodAt } from '#platform/ledger/token-price.js';
import { LISTS } from './token-prices.lists.js';
import { CASES, type StatedCase, type UnitsCase } from './token-prices.cases.js';

/** The exact sum in micro-dollars, as a decimal without zeros at its end. */
const exactOf = (lines: readonly PriceLine[]): string => {
  const SCALE = 1_000_000n;
  const scaled = lines.reduce((sum, { quantity, unitPriceMicroUsd, perUnits }) => {
    const product = BigInt(quantity) * BigInt(unitPriceMicroUsd) * SCALE;
    expect(product % BigInt(perUnits)).toBe(0n);
    return sum + product / BigInt(perUnits);
  }, 0n);
  const decimals = String(scaled % SCALE)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return decimals === '' ? String(scaled / SCALE) : `${scaled / SCALE}.${decimals}`;
};

const priceOfList = (list: keyof typeof LISTS) =>
  ModelPrice.parse(
    // The parser of the catalog passes amounts as text.
    JSON.parse(JSON.stringify(LISTS[list]), (key, value: unknown) =>
      /_usd_per_(mtok|thousand)$/.test(key) ? String(value) : value,
    ),
  ).price;

/** Outside every window. */
const CALM = '2026-10-08T12:00:00.000Z';
const NO_OTHERS = { rateFor: () => undefined, idOf: () => undefined };

const statedCases = CASES.filter((one): one is StatedCase => 'usage' in one);
const unitsCases = CASES.filter((one): one is UnitsCase => 'units' in one);

const READERS = {
  openai: statedUsage,
  gemini: geminiUsage,
  converse: (usage: object) => converseUsage(usage, { model: 'm', isStream: false }),
};

describe('the worked cases of the price lists of providers', () => {
  it.each(statedCases)(
    '$name',
    ({ list, usage, dialect = 'openai', at = CALM, ...one }: StatedCase) => {
      const { asked, answered, microUsd } = one;
      const stated = READERS[dialect](usage);
      expect(stated).not.toBeNull();
      if (!stated) return;
      const rate = { ...priceOfList(list), version: 1, batchDiscountPercent: 50 };
      const tariff = new TokenTariff(NO_OTHERS, list, rate, Date.parse(at));
      const { lines } = tariff.charged(
        { ...stated, ...(answered !== undefined && { serviceTier: answered }) },
        { hasMedia: true, ...(asked !== undefined && { service: asked }) },
      );
      expect(exactOf(lines)).toBe(microUsd);
    },
  );

  it.each(unitsCases)('$name', ({ list, units, service, residency, microUsd, at = CALM }) => {
    const price = priceOfList(list);
    const period = periodAt(price, Date.parse(at));
    const lines = chargedTokenLines(units, price, {
      ...(service !== undefined && { service }),
      ...(residency !== undefined && { residency }),
      ...(period && { period: period.name }),
    });
    expect(exactOf(lines)).toBe(microUsd);
  });
});
