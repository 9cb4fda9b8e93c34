import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

const OVERVIEW = '/api/v1/billing/overview.php';
const INVOICES = '/api/v1/billing/invoices.php';

describe('balance and invoices', () => {
  let world: World;
  const get = (path: string, key = world.credentials.api_key) =>
    request(world.quipu.url).get(path).set('Authorization', `Bearer ${key}`);

  beforeAll(async () => {
    world = await startWorld([answering('Knots', ' keep', ' accounts', '.')], {
      environment: {
        QUIPU_SELLER_NAME: 'Acme GmbH',
        QUIPU_SELLER_ADDRESS: 'Hauptstr. 1, Berlin',
        QUIPU_SELLER_TAX_ID: 'DE123456789',
      },
    });
  });

  afterAll(() => world.close());

  it('starts with the opening credit and no runway', async () => {
    const { body } = await get(OVERVIEW).expect(200);
    expect(body).toEqual({
      success: true,
      balance_usd: 10,
      available_usd: 10,
      held_usd: 0,
      adjusted_usd: 0,
      currency: 'USD',
      telemetry: {
        burn_rate_per_hour: 0,
        runway_hours: null,
        runway_days: null,
        active_compute_jobs: 0,
        total_compute_spend: 0,
        total_inference_spend: 0,
        lifetime_deposited: 10,
      },
      tax_status: {
        iso_country: null,
        tax_exempt: null,
        vat_rate_pct: null,
        tables_as_of: { vat: null, withholding: null },
        stale_tables: [],
      },
      position: expect.stringMatching(/^\d+$/),
    });
  });

  it('shows a caller its own charge at once', async () => {
    // 9 tokens at 1 micro-dollar and 4 at 2 make 17.
    await world.openai.chat.completions.create(chatRequest());
    const { body } = await get(OVERVIEW).expect(200);
    expect(body).toMatchObject({
      balance_usd: 9.999983,
      telemetry: { total_inference_spend: 0.000017, burn_rate_per_hour: 0.000017 / 24 },
    });
    const charge = (await world.events()).findLast(({ type }) => type === 'HoldCaptured');
    expect(charge).toBeDefined();
    expect(BigInt(String(body.position))).toBeGreaterThanOrEqual(charge?.position ?? 0n);
  });

  it('lists the deposit and the month’s statement, newest first, page by page', async () => {
    const { body } = await get(INVOICES).expect(200);
    const month = new Date().toISOString().slice(0, 7);
    expect(body).toMatchObject({
      success: true,
      page: 1,
      limit: 20,
      total_records: 2,
      total_pages: 1,
      invoices: [
        { id: 1, invoice_type: 'deposit', amount: 10, currency: 'USD', status: 'completed' },
        { invoice_type: 'usage', reference_id: `usage-${month}`, amount: 0.000017, status: 'open' },
      ],
    });
    expect(body.invoices[0].created_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const second = await get(`${INVOICES}?page=2&limit=1`).expect(200);
    expect(second.body).toMatchObject({ page: 2, limit: 1, total_pages: 2 });
    expect(second.body.invoices).toEqual([body.invoices[1]]);
  });

  it('shows the statement of a month, per day, model and price', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const { body } = await get(`/api/v1/billing/statements/${month}`).expect(200);
    const line = { model: 'acme/scripted', job: null, purpose: 'chat_completion', charges: 1 };
    expect(body).toMatchObject({
      success: true,
      month,
      currency: 'USD',
      status: 'open',
      tax: null,
      closed_at: null,
      opening_micro_usd: '0',
      closing_micro_usd: '9999983',
      lines: [
        { ...line, meter: 'input_tokens', quantity: '9', amount_micro_usd: '9' },
        { ...line, meter: 'output_tokens', quantity: '4', amount_micro_usd: '8' },
      ],
      deposits: [{ id: 1, amount_micro_usd: '10000000' }],
      adjustments: [],
      totals: { deposited_micro_usd: '10000000', charged_micro_usd: '17', charges: 1 },
    });
  });

  it('has the same statement as CSV, whose rows sum to the closing balance', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const { text, headers } = await get(`/api/v1/billing/statements/${month}.csv`).expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [header = '', ...rows] = text.trimEnd().split('\r\n');
    const at = header.split(',').indexOf('amount_usd');
    const amounts = rows.map((row) => BigInt((row.split(',')[at] ?? '').replace('.', '')));
    expect(amounts).toEqual([0n, 10_000_000n, -9n, -8n, 9_999_983n]);
  });

  it('has the seller of the settings and the customer of the account on invoices', async () => {
    const path = '/api/v1/billing/invoice_details';
    const seller = { name: 'Acme GmbH', address: 'Hauptstr. 1, Berlin', tax_id: 'DE123456789' };
    const before = await get(path).expect(200);
    expect(before.body).toEqual({ success: true, seller, customer: null });
    const customer = { name: 'Ada Ltd', address: null, tax_id: 'GB123456789' };
    const put = (body: object) =>
      request(world.quipu.url)
        .put(path)
        .set({ authorization: `Bearer ${world.credentials.api_key}` })
        .send(body);
    const { body } = await put(customer).expect(200);
    expect(body).toEqual({ success: true, seller, customer });
    await put(customer).expect(200);
    const events = await world.events();
    expect(events.filter(({ type }) => type === 'InvoiceDetailsSet')).toHaveLength(1);
    expect(JSON.stringify(events.map(({ data }) => data))).not.toContain('Ada Ltd');
    await put({ address: 'nowhere' }).expect(400);
  });

  it('has the same statement as PDF', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const { body, headers } = await get(`/api/v1/billing/statements/${month}.pdf`)
      .buffer()
      .expect(200);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="statement-${month}.pdf"`,
    });
    expect((body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it.each([
    ['2026-13', 400],
    ['2026-1.csv', 400],
    ['9999-12', 404],
    ['9999-12.csv', 404],
    ['9999-12.pdf', 404],
  ])('has no statement of %s', async (month, status) => {
    const { body } = await get(`/api/v1/billing/statements/${month}`).expect(status);
    expect(body).toMatchObject({ success: false, message: expect.stringContaining('month') });
  });

  it('shows a statement to the secret API key only', async () => {
    const month = '2026-11';
    await get(`/api/v1/billing/statements/${month}`, world.credentials.renter_key).expect(401);
    await request(world.quipu.url).get(`/api/v1/billing/statements/${month}.csv`).expect(401);
  });

  it.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['page=1.5', 'page'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=', 'limit'],
  ])('rejects %s by name', async (query, field) => {
    const { body } = await get(`${INVOICES}?${query}`).expect(400);
    expect(body).toMatchObject({ success: false, code: 'invalid_request' });
    expect(body.message).toContain(field);
  });

  it('accepts only the secret API key', async () => {
    await get(OVERVIEW, world.credentials.renter_key).expect(401);
    await request(world.quipu.url).get(OVERVIEW).expect(401);
  });

  it('shows rates without credentials', async () => {
    const { body } = await request(world.quipu.url).get('/api/v1/billing/rates.php').expect(200);
    expect(body).toMatchObject({
      success: true,
      currency: 'USD',
      models: [{ id: 'acme/scripted', input_usd_per_mtok: 1, output_usd_per_mtok: 2 }],
    });
  });

  const rates = (query: string) =>
    request(world.quipu.url).get(`/api/v1/billing/rates.php?${query}`);

  it('shows the rates that were in force at an instant', async () => {
    const { body } = await rates('').expect(200);
    const { effective_from, version } = body.rate_card;
    const from = String(effective_from);
    const then = await rates(`at=${from}`).expect(200);
    expect(then.body).toMatchObject({ rate_card: { version }, models: body.models });
    const before = new Date(Date.parse(from) - 1).toISOString();
    const { body: none } = await rates(`at=${before}`).expect(404);
    expect(none).toMatchObject({ code: 'rate_card_not_found' });
    const offset = new Date(Date.parse(from) + 3_600_000).toISOString().replace('Z', '%2B01:00');
    await rates(`at=${offset}`).expect(200);
  });

  it.each([
    ['at=yesterday', 'at: expected an ISO 8601 instant'],
    ['at=2026-02-30T00:00:00Z', 'at: expected an ISO 8601 instant'],
    ['at=2026-11-21T04:48:00', 'at: expected an ISO 8601 instant'],
    ['at=2026-11-21', 'at: expected an ISO 8601 instant'],
    ['at=9999-01-01T00:00:00Z', 'at must not be in the future'],
    ['at=2026-11-21T04:48:00Z&version=1', 'at and version cannot be given together'],
    ['at=2026-11-21T04:48:00Z&at=2026-11-22T04:48:00Z', 'at: expected an ISO 8601 instant'],
  ])('rejects the rates of %s by name', async (query, message) => {
    const { body } = await rates(query).expect(400);
    expect(body).toMatchObject({ success: false, code: 'invalid_request' });
    expect(body.message).toContain(message);
  });
});
