import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { answering, startWorld, type World } from './quipu.harness.js';

const STATUS = '/api/v1/tax_status';

describe('tax', () => {
  let world: World;
  const get = (path: string) =>
    request(world.quipu.url).get(path).set('Authorization', `Bearer ${world.credentials.api_key}`);
  const put = (path: string, body: object, key = world.credentials.api_key) =>
    request(world.quipu.url).put(path).set('Authorization', `Bearer ${key}`).send(body);

  beforeAll(async () => {
    world = await startWorld([answering('ok')]);
  });

  afterAll(() => world.close());

  it('of a payout is statutory, or that of a treaty whose benefits are claimed', async () => {
    const { body } = await get('/api/v1/tax_compliance?country=DE&amount=1000.000001').expect(200);
    expect(body).toMatchObject({
      country: 'DE',
      gross_amount: 1000.000001,
      withholding_rate_pct: 30,
      withheld_amount: 300,
      net_payout: 700.000001,
      vat_applicable: true,
      vat_rate_pct: 19,
      compliance_regime: expect.stringContaining('no treaty benefits claimed'),
      basis: { vat_source: 'sales-tax 2.23.0 (2026-07-17)', vat_verified: true },
      tables_as_of: { vat: '2026-07-17', withholding: '2019-02-28' },
      stale_tables: expect.arrayContaining(['withholding']),
    });
    const claimed = await get(
      '/api/v1/tax_compliance?country=DE&amount=1000&treaty_claimed=true',
    ).expect(200);
    expect(claimed.body).toMatchObject({
      withholding_rate_pct: 0,
      net_payout: 1000,
      basis: { article: 'Article 12', as_of: '2019-02-28' },
    });
  });

  it.each([
    ['LI', 8.1],
    ['RU', 22],
    ['KZ', 16],
    ['EC', 15],
    ['LK', 18],
    ['BH', 10],
    ['PK', 18],
  ])('names the law of the corrected rate of %s', async (country, rate) => {
    const { body } = await get(`/api/v1/tax_compliance?country=${country}&amount=5`).expect(200);
    expect(body).toMatchObject({
      vat_rate_pct: rate,
      basis: { vat_source: expect.stringContaining('https://'), vat_verified: true },
      tables_as_of: { vat: expect.stringMatching(/^20\d\d-\d\d-\d\d$/) },
    });
  });

  it('has no VAT where the country has none, and says so', async () => {
    const { body } = await get('/api/v1/tax_compliance?country=US&amount=5').expect(200);
    expect(body).toMatchObject({
      withholding_rate_pct: 0,
      vat_applicable: false,
      vat_rate_pct: 0,
      net_payout: 5,
      compliance_regime: expect.stringContaining('no VAT or GST in US'),
    });
  });

  it('of an unknown country is an error, never zero', async () => {
    const { body } = await get('/api/v1/tax_compliance?country=ZZ&amount=5').expect(422);
    expect(body).toMatchObject({ success: false, code: 'country_unknown', param: 'country' });
  });

  it.each([
    ['country=DE', 'amount'],
    ['amount=5', 'country'],
    ['country=de&amount=5', 'country'],
    ['country=DE&amount=-5', 'amount'],
    ['country=DE&amount=1e3', 'amount'],
    ['country=DE&amount=0.0000001', 'amount'],
    ['country=DE&country=FR&amount=5', 'country'],
    ['country=DE&amount=5&treaty_claimed=yes', 'treaty_claimed'],
  ])('rejects %s by name', async (query, field) => {
    const { body } = await get(`/api/v1/tax_compliance?${query}`).expect(400);
    expect(body.message).toContain(field);
  });

  it('status is unknown until it is set, and then on the overview', async () => {
    const before = await get(STATUS).expect(200);
    expect(before.body).toMatchObject({ iso_country: null, tax_exempt: null, vat_rate_pct: null });
    const { body } = await put(STATUS, { country: 'CA', region: 'QC' }).expect(200);
    expect(body).toMatchObject({
      success: true,
      iso_country: 'CA',
      region: 'QC',
      vat_rate_pct: 14.975,
      tax_exempt: false,
      business: false,
      treaty_claimed: false,
    });
    const overview = await get('/api/v1/billing/overview.php').expect(200);
    expect(overview.body).toMatchObject({
      tax_status: {
        iso_country: 'CA',
        tax_exempt: false,
        vat_rate_pct: 14.975,
        tables_as_of: { vat: '2026-07-17' },
      },
    });
  });

  it.each([
    [{ country: 'ZZ' }, 422, 'country ZZ'],
    [{ country: 'CA' }, 422, 'region is required for CA'],
    [{ country: 'DE', region: 'BY' }, 422, 'region BY of DE'],
    [{ country: 'Germany' }, 400, 'country'],
    [{}, 400, 'country'],
  ])('cannot be declared as %j', async (body, status, message) => {
    const answer = await put(STATUS, body).expect(status);
    expect(answer.body.message).toContain(message);
  });

  it('status with an exemption is set by an Admin only', async () => {
    const verified = { country: 'DE', tax_exempt: true, business: true, treaty_claimed: false };
    const renter = world.credentials.renter_key;
    await put(`${STATUS}/7`, verified, renter).expect(401);
    await put(STATUS, { country: 'DE' }, renter).expect(401);
    const set = await put(`${STATUS}/7`, verified).expect(200);
    expect(set.body).toMatchObject({ account_id: '7', iso_country: 'DE', tax_exempt: true });
    const self = await put(STATUS, verified).expect(400);
    expect(self.body.message).toContain('tax_exempt');
  });

  it('of an account takes the example of the document', async () => {
    const { body } = await get('/openapi.json').expect(200);
    const { properties } = body.components.schemas.DeclareCountryDto as {
      readonly properties: Readonly<Record<string, { readonly example: unknown }>>;
    };
    const example = Object.fromEntries(
      Object.entries(properties).map(([name, { example: value }]) => [name, value]),
    );
    expect(example).toEqual({ country: 'CA', region: 'QC' });
    await put(STATUS, example).expect(200);
  });
});
