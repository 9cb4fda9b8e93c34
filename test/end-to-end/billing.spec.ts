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
    world = await startWorld([answering('Knots', ' keep', ' accounts', '.')]);
  });

  afterAll(() => world.close());

  it('starts with the opening credit and no runway', async () => {
    const { body } = await get(OVERVIEW).expect(200);
    expect(body).toEqual({
      success: true,
      balance_usd: 10,
      available_usd: 10,
      held_usd: 0,
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
      tax_status: { iso_country: null, tax_exempt: null, vat_rate_pct: null },
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
    const events = await world.events();
    expect(BigInt(String(body.position))).toBeGreaterThanOrEqual(events.at(-1)?.position ?? 0n);
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
});
