import { describe, expect, it } from '@jest/globals';
import { VatRates } from './vat-rates.js';

const rates = new VatRates();
const AT = '2026-04-28T12:00:00.000Z';

/**
 * Standard rates of the member states in percent, from another source: the Commission's database
 * TEDB as of 2026-04-28, in the copy at https://github.com/vatnode/eu-vat-rates-data-js (commit
 * 014d69d3e950308c30784cc7257b19ec80827692, data/eu-vat-rates-data.json).
 */
const TEDB: Readonly<Record<string, number>> = {
  ...{ AT: 20, BE: 21, BG: 20, CY: 19, CZ: 21, DE: 19, DK: 25, EE: 24, ES: 21, FI: 25.5 },
  ...{ FR: 20, GR: 24, HR: 25, HU: 27, IE: 23, IT: 22, LT: 21, LU: 17, LV: 21, MT: 18 },
  ...{ NL: 21, PL: 23, PT: 23, RO: 21, SE: 25, SI: 22, SK: 23 },
};

describe('standard rates', () => {
  it('are those of the Commission for all 27 member states', () => {
    const found = Object.keys(TEDB).map((country) => {
      expect(rates.isInUnion(country)).toBe(true);
      return [country, (rates.standardRate(country, null, AT)?.ratePpm ?? 0) / 10_000];
    });
    expect(Object.fromEntries(found)).toEqual(TEDB);
    expect(found).toHaveLength(27);
  });

  it.each([
    ['GB', null, 'vat', 200_000],
    ['CH', null, 'vat', 81_000],
    ['AU', null, 'gst', 100_000],
    ['CA', 'QC', 'gst+qst', 149_750],
    ['ES', 'TF', 'igic', 70_000],
    ['US', null, 'none', 0],
  ])('%s %s is %s at %d millionths', (country, region, kind, ratePpm) => {
    expect(rates.standardRate(country, region, AT)).toEqual({ kind, ratePpm });
  });

  it.each([
    ['2024-08-31T21:59:59.999Z', 240_000],
    ['2024-08-31T22:00:00.000Z', 255_000],
  ])('of Finland change at the instant that they changed: %s', (at, ratePpm) => {
    expect(rates.standardRate('FI', null, at)).toEqual({ kind: 'vat', ratePpm });
  });

  it.each([
    ['2020-06-30T21:59:59.999Z', 190_000],
    ['2020-12-31T21:59:59.999Z', 160_000],
    ['2020-12-31T22:00:00.000Z', 190_000],
  ])('of Germany were lower for half a year: %s', (at, ratePpm) => {
    expect(rates.standardRate('DE', null, at)).toEqual({ kind: 'vat', ratePpm });
  });

  it.each([
    ['ZZ', null],
    ['__proto__', null],
    ['DE', 'BY'],
    ['CA', 'constructor'],
  ])('of %s %s are unknown, and not zero', (country, region) => {
    expect(rates.standardRate(country, region, AT)).toBeUndefined();
  });

  it('names its source', () => {
    expect(rates.source).toMatch(/^sales-tax \d+\.\d+\.\d+$/);
  });
});
