import { describe, expect, it } from '@jest/globals';
import { TableAges } from './table-ages.js';

const agesAt = (now: string) =>
  new TableAges({ sellerCountry: null, tableDaysMax: 400 }, { now: () => Date.parse(now) });

describe('the age of tax tables', () => {
  it('marks the tables that are older than the stated age', () => {
    const tables = { vat: '2026-07-17', withholding: '2019-02-28' };
    expect(agesAt('2026-11-25T00:00:00.000Z').stale(tables)).toEqual(['withholding']);
    expect(agesAt('2027-08-21T00:00:00.000Z').stale(tables)).toEqual(['withholding']);
    expect(agesAt('2027-08-21T00:00:00.001Z').stale(tables)).toEqual(['vat', 'withholding']);
    expect(agesAt('2019-03-01T00:00:00.000Z').stale(tables)).toEqual([]);
  });
});
