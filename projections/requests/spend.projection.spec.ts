import { describe, expect, it } from '@jest/globals';
import { adjusted, captured, LABELS, withOrigin } from '#areas/billing/account.fixture.js';
import { type ChargeAdjusted, type HoldCaptured } from '#events/billing/account.events.js';
import { spend } from './spend.projection.js';
import { FOCUS_COLUMNS, FOCUS_GROUPS, focusCsv } from '#areas/requests/focus.js';
import { FoldedDocuments } from '#areas/requests/requests-world.fixture.js';
import { spendCsv } from '#areas/requests/spend-fields.js';
import { type SpendGroup, spendGroupsOf } from '#areas/requests/spend-groups.js';
import { SpendHandler, type SpendOrder, SpendQuery } from '#areas/requests/spend.handler.js';

/** 900 input and 100 output tokens: 135 and 60 micro-dollars. */
const charge = (capturedAt: string, more: Partial<HoldCaptured['data']> = {}): HoldCaptured => {
  const { type, data } = withOrigin(captured([900, 100], 195, 0, 0), LABELS);
  return { type, data: { ...data, model: 'acme/m', capturedAt, ...more } };
};
const note = (adjustedAt: string): ChargeAdjusted => {
  const { type, data } = adjusted(5, 0);
  return { type, data: { ...data, adjustedAt } };
};

/** The teams of the account. */
const TEAMS = ['team-1', 'team-2'];
const below = (accountId: string): Promise<readonly string[]> =>
  Promise.resolve(accountId === '7' ? TEAMS : []);

const reportOf = async (
  events: readonly (HoldCaptured | ChargeAdjusted)[],
  by: readonly SpendGroup[],
  more: Partial<SpendOrder> = {},
) => {
  const documents = new FoldedDocuments(spend);
  await documents.take(events);
  const period = { from: '2026-11-01', to: '2026-11-30' };
  const order = { accountId: '7', ...period, by, timeZone: 'UTC', ...more };
  return new SpendHandler(documents.projections, { below }).execute(new SpendQuery(order));
};
const rowsOf = async (...of: Parameters<typeof reportOf>) =>
  (await reportOf(...of)).rows.map(({ group, kind, quantity, amount }) => [
    ...Object.values(group),
    kind,
    quantity,
    amount,
  ]);

const NIGHT = '2026-11-21T23:30:00.000Z';

describe('spend', () => {
  it('has days of the time zone of the caller', async () => {
    const events = [charge(NIGHT), charge('2026-11-21T05:00:00.000Z')];
    expect(await rowsOf(events, ['day'])).toEqual([['2026-11-21', 'usage', null, 390n]]);
    expect(await rowsOf(events, ['day'], { timeZone: 'Europe/Berlin' })).toEqual([
      ['2026-11-21', 'usage', null, 195n],
      ['2026-11-22', 'usage', null, 195n],
    ]);
    const day = { from: '2026-11-22', to: '2026-11-22', timeZone: 'Asia/Kathmandu' };
    expect(await rowsOf(events, ['day'], day)).toEqual([['2026-11-22', 'usage', null, 195n]]);
  });

  it('has labels, models, rigs, products and the units of classes', async () => {
    const events = [charge(NIGHT), charge(NIGHT, { tags: ['project=beta'], endUser: 'cd' })];
    expect(await rowsOf(events, ['class'])).toEqual([
      ['input_tokens', 'usage', 1_800n, 270n],
      ['output_tokens', 'usage', 200n, 120n],
    ]);
    expect(await rowsOf(events, ['tag:project', 'tag:env'])).toEqual([
      ['alpha', 'prod', 'usage', null, 195n],
      ['beta', null, 'usage', null, 195n],
    ]);
    expect(await rowsOf(events, ['key', 'model', 'rig', 'product'])).toEqual([
      [LABELS.key, 'acme/m', 'local-vllm', 'translation', 'usage', null, 390n],
    ]);
    expect(await rowsOf(events, ['user'])).toHaveLength(2);
  });

  it.each([
    ['model', { model: 'acme/n' }],
    ['rig', { rig: 'mill' }],
    ['end user', { endUser: 'cd' }],
    ['tags', { tags: ['project=beta'] }],
    ['account', { accountId: '8' }],
    ['quarter of an hour', { capturedAt: '2026-11-21T23:45:00.000Z' }],
  ])('has documents of its own for a charge of the same key with another %s', (_, more) => {
    const keys = spend.keys(charge(NIGHT));
    expect(spend.keys(charge(NIGHT, more))).not.toEqual(keys);
    expect(spend.keys(charge(NIGHT))).toEqual(keys);
  });

  it('has corrections in rows of their own, with the month that they correct', async () => {
    const report = await reportOf([charge(NIGHT), note('2026-11-25T08:00:00.000Z')], ['model']);
    expect(report.amount).toBe(190n);
    expect(report.rows).toMatchObject([
      { group: { model: null }, kind: 'credit_note', corrects: '2026-11', amount: -5n },
      { group: { model: 'acme/m' }, kind: 'usage', corrects: null, amount: 195n },
    ]);
  });

  it('has a late charge in the month whose statement has it', async () => {
    const late = charge('2026-10-31T23:59:00.000Z', { bookedIn: '2026-11' });
    expect(await rowsOf([late], ['day'])).toEqual([['2026-11-01', 'usage', null, 195n]]);
  });

  it('is of one account', async () => {
    expect(await rowsOf([charge(NIGHT, { accountId: '70' })], ['day'])).toEqual([]);
  });

  it('has the spend of the teams below an account where it is by team', async () => {
    const events = [charge(NIGHT), ...TEAMS.map((accountId) => charge(NIGHT, { accountId }))];
    expect(await rowsOf(events, ['team', 'model'])).toEqual([
      [null, 'acme/m', 'usage', null, 195n],
      ['team-1', 'acme/m', 'usage', null, 195n],
      ['team-2', 'acme/m', 'usage', null, 195n],
    ]);
    expect((await reportOf(events, ['team', 'day'])).amount).toBe(585n);
    expect((await reportOf(events, ['day'])).amount).toBe(195n);
  });

  it('by team is of a limited number of teams', async () => {
    const documents = new FoldedDocuments(spend);
    const many = (_: string, most: number) =>
      Promise.resolve(Array.from({ length: most }, (__, n) => `team-${n}`));
    const handler = new SpendHandler(documents.projections, { below: many });
    const period = { from: '2026-11-01', to: '2026-11-30', timeZone: 'UTC' };
    const order = { accountId: '7', ...period, by: ['team'] as const };
    const report = handler.execute(new SpendQuery(order));
    await expect(report).rejects.toMatchObject({ code: 'spend_too_large' });
  });

  it('does not read more where a caller has many tags and end users', async () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      charge(NIGHT, { tags: [`trace=${n}`], endUser: String(n) }),
    );
    const documents = new FoldedDocuments(spend);
    await documents.take(many);
    const handler = new SpendHandler(documents.projections, { below });
    const period = { from: '2026-11-01', to: '2026-11-30', timeZone: 'UTC' };
    const order = { accountId: '7', ...period, by: ['day', 'model'] as const };
    const { amount } = await handler.execute(new SpendQuery(order));
    expect(amount).toBe(300n * 195n);
    expect(documents.read).toBe(1);
  });

  it.each([
    [{ from: '2026-12-01' }, 'invalid_spend_period'],
    [{ from: '2024-11-01' }, 'invalid_spend_period'],
    [{ timeZone: 'Mars/Olympus' }, 'unknown_time_zone'],
  ])('rejects %j', async (order, code) => {
    await expect(reportOf([], ['day'], order)).rejects.toMatchObject({ code });
  });

  it.each(['', 'day,', 'day,day', 'teams', 'tag:', 'tag:a=b', `tag:${'x'.repeat(63)}`])(
    'is by no such groups: %s',
    (names) => {
      expect(spendGroupsOf(names)).toBeNull();
    },
  );

  it('is written as CSV', async () => {
    const by = ['day', 'tag:team'] as const;
    expect(spendCsv(await reportOf([charge(NIGHT)], by), by)).toBe(
      'day,tag:team,kind,corrects,quantity,amount_usd\r\n2026-11-21,,usage,,,0.000195\r\n',
    );
  });
});

describe('spend in the columns of FOCUS', () => {
  /** Of the specification, version 1.2. */
  const MANDATORY = [
    ...['BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency'],
    ...['BillingPeriodEnd', 'BillingPeriodStart', 'ChargeCategory', 'ChargeClass'],
    ...['ChargeDescription', 'ChargePeriodEnd', 'ChargePeriodStart', 'ContractedCost'],
    ...['EffectiveCost', 'InvoiceIssuerName', 'ListCost', 'PricingQuantity', 'PricingUnit'],
    ...['ProviderName', 'PublisherName', 'ServiceCategory', 'ServiceName'],
  ];

  it('has every mandatory column', () => {
    expect(FOCUS_COLUMNS).toEqual(expect.arrayContaining(MANDATORY));
  });

  it('has usage and corrections by day', async () => {
    const events = [charge(NIGHT), note('2026-12-02T08:00:00.000Z')];
    const period = { from: '2026-11-01', to: '2026-12-31' };
    const report = await reportOf(events, FOCUS_GROUPS, period);
    const products = new Map([['translation', { title: 'Translations', group: 'inference' }]]);
    const facts = { accountId: '7', issuer: 'Acme', products } as const;
    const [names = '', ...lines] = focusCsv(report, facts as never)
      .trimEnd()
      .split('\r\n');
    const rows = lines.map((text) => {
      // The tags are the one cell with quotes.
      const cells = text.replace(/"\{.*\}"/, 'TAGS').split(',');
      return Object.fromEntries(names.split(',').map((name, at) => [name, cells[at]]));
    });
    expect(rows).toMatchObject([
      {
        BilledCost: '0.000135',
        BillingPeriodStart: '2026-11-01T00:00:00Z',
        BillingPeriodEnd: '2026-12-01T00:00:00Z',
        ChargePeriodStart: '2026-11-21T00:00:00Z',
        ChargePeriodEnd: '2026-11-22T00:00:00Z',
        ChargeCategory: 'Usage',
        ChargeClass: '',
        ConsumedQuantity: '900',
        ConsumedUnit: 'input_tokens',
        ServiceCategory: 'AI and Machine Learning',
        ServiceName: 'Translations',
        InvoiceIssuerName: 'Acme',
        Tags: 'TAGS',
        x_Key: LABELS.key,
      },
      { BilledCost: '0.00006', SkuMeter: 'output_tokens' },
      { BilledCost: '-0.000005', ChargeCategory: 'Adjustment', ChargeClass: 'Correction' },
    ]);
    expect(lines[0]).toContain('"{""env"":""prod"",""project"":""alpha""}"');
  });
});
