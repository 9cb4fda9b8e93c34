import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { VAT_CORRECTIONS } from './vat-corrections.js';
import { SALES_TAX, VatRates } from './vat-rates.js';

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
  it('are the rates of the Commission for all 27 member states', () => {
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
    expect(rates.standardRate(country, region, AT)).toMatchObject({ kind, ratePpm });
  });

  it.each([
    ['2024-08-31T21:59:59.999Z', 240_000],
    ['2024-08-31T22:00:00.000Z', 255_000],
  ])('of Finland change at the instant that they changed: %s', (at, ratePpm) => {
    expect(rates.standardRate('FI', null, at)).toMatchObject({ kind: 'vat', ratePpm });
  });

  it.each([
    ['2020-06-30T21:59:59.999Z', 190_000],
    ['2020-12-31T21:59:59.999Z', 160_000],
    ['2020-12-31T22:00:00.000Z', 190_000],
  ])('of Germany were lower for half a year: %s', (at, ratePpm) => {
    expect(rates.standardRate('DE', null, at)).toMatchObject({ kind: 'vat', ratePpm });
  });

  it.each([
    ['ZZ', null],
    ['__proto__', null],
    ['DE', 'BY'],
    ['CA', 'constructor'],
  ])('of %s %s are unknown, and not zero', (country, region) => {
    expect(rates.standardRate(country, region, AT)).toBeUndefined();
  });

  it.each([
    ['LI', '2023-12-31T22:59:59.999Z', 77_000, '2024-01-01T00:00:00.000Z', 81_000],
    ['RU', '2025-12-31T20:59:59.999Z', 200_000, '2025-12-31T21:00:00.000Z', 220_000],
    ['KZ', '2025-12-31T18:59:59.999Z', 120_000, '2025-12-31T19:00:00.000Z', 160_000],
    ['EC', '2024-04-01T04:59:59.999Z', 120_000, '2024-04-01T05:00:00.000Z', 150_000],
    ['LK', '2023-12-31T18:29:59.999Z', 120_000, '2023-12-31T18:30:00.000Z', 180_000],
    ['BH', '2021-12-31T20:59:59.999Z', 50_000, '2021-12-31T21:00:00.000Z', 100_000],
    ['PK', '2023-02-14T18:59:59.999Z', 170_000, '2023-02-14T19:00:00.000Z', 180_000],
    ['RO', '2025-07-31T20:59:59.999Z', 190_000, '2025-07-31T21:00:00.000Z', 210_000],
    ['TH', '2023-08-31T16:59:59.999Z', 70_000, '2026-09-30T16:59:59.999Z', 70_000],
  ])('of %s are corrected from the day of the law', (country, before, old, after, ratePpm) => {
    expect(rates.standardRate(country, null, before)).toMatchObject({ ratePpm: old });
    expect(rates.standardRate(country, null, after)).toMatchObject({
      kind: 'vat',
      ratePpm,
      isVerified: true,
      source: expect.stringMatching(/https:.* \(\d{4}-\d\d-\d\d\)$/),
    });
  });

  it('of Thailand are not verified after the last known extension of the reduction', () => {
    expect(rates.standardRate('TH', null, '2026-09-30T17:00:00.000Z')).toMatchObject({
      ratePpm: 100_000,
      isVerified: false,
    });
  });

  it('name their source and its date, and whether a second source confirms them', () => {
    const { version, asOf } = SALES_TAX;
    const source = `sales-tax ${version} (${asOf})`;
    expect(rates.standardRate('DE', null, AT)).toMatchObject({ source, asOf, isVerified: true });
    expect(rates.standardRate('GB', null, AT)).toMatchObject({ source, asOf, isVerified: false });
    expect(rates.standardRate('CA', 'QC', AT)).toMatchObject({ isVerified: false });
  });

  it('have sources that fit into the event of a statement', () => {
    for (const { source, country, from } of VAT_CORRECTIONS) {
      expect(rates.standardRate(country, null, from)?.source).toContain(source);
      expect(rates.standardRate(country, null, from)?.source.length).toBeLessThanOrEqual(200);
    }
  });

  it('are from the version of the package whose date is known', () => {
    const { version } = createRequire(import.meta.url)('sales-tax/package.json') as {
      readonly version: string;
    };
    expect(version).toBe(SALES_TAX.version);
  });
});
