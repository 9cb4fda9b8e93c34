import { describe, expect, it } from '@jest/globals';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { type TaxStatus } from '#projections/tax/tax-status.projection.js';
import { SupplyTaxHandler, SupplyTaxQuery } from './supply-tax.handler.js';
import { TaxStatuses } from './tax-statuses.js';
import { VatRates } from './vat-rates.js';

const SEARCH = 'team-019ac5d9-20c1-7c55-9d0f-000000000001';
const RANKING = 'team-019ac5d9-20c1-7c55-9d0f-000000000002';

const of = (accountId: string, country: string): TaxStatus => ({
  ...{ accountId, country, region: null, taxExempt: false, business: true, treatyClaimed: false },
  setAt: '2026-11-21T04:48:00.000Z',
});

/** The project is below the team, and the team below the account 7. */
const statusesOf = (...known: readonly TaxStatus[]): TaxStatuses => {
  const reader = {
    readAt: 5,
    get: (_: unknown, id: string) =>
      Promise.resolve({ document: known.find((one) => one.accountId === id), position: 3n }),
  };
  const projections = { at: () => Promise.resolve(reader) } as unknown as Projections;
  const above = {
    of: (id: string) => Promise.resolve({ [RANKING]: [SEARCH, '7'], [SEARCH]: ['7'] }[id] ?? []),
  };
  return new TaxStatuses(projections, above);
};

const found = (accountId: string, ...known: readonly TaxStatus[]) =>
  statusesOf(...known).find(accountId);

describe('the tax status of a team', () => {
  it('is its own', async () => {
    const own = of(RANKING, 'FR');
    expect(await found(RANKING, own, of(SEARCH, 'DE'), of('7', 'US'))).toEqual({
      ...{ status: own, position: 3n, readAt: 5 },
    });
  });

  it('is otherwise the nearest one above it', async () => {
    expect((await found(RANKING, of(SEARCH, 'DE'), of('7', 'US'))).status?.country).toBe('DE');
    expect((await found(RANKING, of('7', 'US'))).status).toEqual(of('7', 'US'));
  });

  it('decides the tax of its statements', async () => {
    const settings = { sellerCountry: 'DE', tableDaysMax: 400 };
    const consumer = { ...of('7', 'DE'), business: false };
    const handler = new SupplyTaxHandler(statusesOf(consumer), settings, new VatRates());
    const tax = await handler.execute(new SupplyTaxQuery(RANKING, '2026-11-30T23:59:59.999Z'));
    expect(tax).toMatchObject({ country: 'DE', treatment: 'taxable', ratePpm: 190_000 });
  });

  it('is none where no account above has one, and never one from below', async () => {
    expect((await found(RANKING)).status).toBeNull();
    expect((await found('7', of(RANKING, 'FR'), of(SEARCH, 'DE'))).status).toBeNull();
  });
});
