import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spendGroupsOf } from '#areas/requests/spend-groups.js';
import { SpendHandler, SpendQuery } from '#areas/requests/spend.handler.js';
import { FoldedDocuments } from '#areas/requests/requests-world.fixture.js';
import { adjusted, captured, withOrigin } from '#areas/billing/account.fixture.js';
import { type ChargeAdjusted, type HoldCaptured } from '#events/billing/account.events.js';
import { statementMonthOf } from '#events/billing/statement-month.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { fromDecimal } from '#platform/kernel/money.js';
import { priceOf } from '#platform/ledger/price.js';
import { spend } from '#projections/requests/spend.projection.js';

type Movement = HoldCaptured | ChargeAdjusted;

const MONTHS = ['2026-09', '2026-10', '2026-11', '2026-12'] as const;
const instant = fc
  .date({
    min: new Date('2026-09-01T00:00:00.000Z'),
    max: new Date('2026-11-30T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());
/** Now and then a movement is on the statement of a later month. */
const booked = fc.option(fc.constantFrom('2026-12'), { freq: 5, nil: undefined });
const orNone = <Value>(...values: readonly Value[]) => fc.constantFrom(undefined, ...values);

const line: fc.Arbitrary<ChargedLine> = fc
  .record({
    meter: fc.constantFrom('input_tokens', 'output_tokens', 'searches'),
    quantity: fc.nat(5_000),
    unitPriceMicroUsd: fc.nat(2_000_000).map(String),
    perUnits: fc.constantFrom(1, 1_000, 1_000_000),
    rig: orNone('rack', 'mill'),
    model: orNone('acme/m', 'acme/n/o'),
  })
  .map(({ rig, model, ...rest }) => ({ ...rest, ...(rig && { rig }), ...(model && { model }) }));

const origin = fc
  .record({
    key: orNone('2b9ac6a26d6d9ca1', '3b9ac6a26d6d9ca1'),
    endUser: orNone('ab'.repeat(32), 'cd'.repeat(32)),
    tags: orNone(['project=a'], ['project=a/b', 'team=x y'], ['team=z']),
    model: orNone('acme/m', 'acme/z'),
  })
  .map((of) => Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)));

const charge: fc.Arbitrary<Movement> = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), origin, instant, booked)
  .map(([lines, of, capturedAt, bookedIn]) => {
    const event = withOrigin(captured([0, 0], 0, 0, 0), of);
    const amountMicroUsd = priceOf(lines).toString();
    const data = { ...event.data, rig: null, lines, amountMicroUsd, capturedAt };
    return { ...event, data: { ...data, ...(bookedIn && { bookedIn }) } };
  });

const adjustment: fc.Arbitrary<Movement> = fc
  .tuple(fc.integer({ min: -500, max: 500 }), instant, booked)
  .map(([amount, adjustedAt, bookedIn]) => {
    const event = adjusted(amount, 0);
    return { ...event, data: { ...event.data, adjustedAt, ...(bookedIn && { bookedIn }) } };
  });

const history = fc.array(
  fc.oneof({ weight: 6, arbitrary: charge }, { weight: 1, arbitrary: adjustment }),
  { maxLength: 40 },
);

const GROUPS = [
  'day',
  'key',
  'user',
  'model',
  'rig',
  'product',
  'class',
  'tags',
  'tag:project',
  'tag:team',
] as const;
const by = fc
  .subarray([...GROUPS], { minLength: 1, maxLength: 4 })
  .map((names) => spendGroupsOf(names.join()) ?? []);

/** Charges less adjustments of the month's statement. */
const stated = (movements: readonly Movement[], month: string): bigint =>
  movements
    .filter((movement) => statementMonthOf(movement) === month)
    .reduce((sum, { type, data }) => {
      const amount = fromDecimal(data.amountMicroUsd);
      return type === 'HoldCaptured' ? sum + amount : sum - amount;
    }, 0n);

const lastDayOf = (month: string): string => {
  const [year = 0, ordinal = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, ordinal, 0)).toISOString().slice(0, 'YYYY-MM-DD'.length);
};

const openSpend = async (movements: readonly Movement[]) => {
  const documents = new FoldedDocuments(spend);
  await documents.take(movements);
  const handler = new SpendHandler(documents.projections, { below: () => Promise.resolve([]) });
  return (from: string, to: string, groups: Awaited<ReturnType<typeof spendGroupsOf>>) =>
    async (timeZone: string) => {
      const order = { accountId: '7', from, to, by: groups ?? [], timeZone };
      return handler.execute(new SpendQuery(order));
    };
};

describe('the spend of an account', () => {
  it('sums to the statement of each month, by whatever groups', async () => {
    await fc.assert(
      fc.asyncProperty(history, by, async (movements, groups) => {
        const spendOf = await openSpend(movements);
        for (const month of MONTHS) {
          const report = await spendOf(`${month}-01`, lastDayOf(month), groups)('UTC');
          const rows = report.rows.reduce((sum, { amount }) => sum + amount, 0n);
          expect(report.amount).toBe(rows);
          expect(report.amount).toBe(stated(movements, month));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has each movement on one day of every time zone', async () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Pacific/Kiritimati',
      'Etc/GMT+12',
    );
    await fc.assert(
      fc.asyncProperty(history, by, zones, async (movements, groups, zone) => {
        const spendOf = await openSpend(movements);
        const report = await spendOf('2026-08-15', '2027-01-15', groups)(zone);
        const all = MONTHS.reduce((sum, month) => sum + stated(movements, month), 0n);
        expect(report.amount).toBe(all);
      }),
      { numRuns: 40 },
    );
  });
});
