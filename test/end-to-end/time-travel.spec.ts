import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

const OVERVIEW = '/api/v1/billing/overview.php';
const INVOICES = '/api/v1/billing/invoices.php';
const RATES = '/api/v1/billing/rates.php';

describe('answers of a past state', () => {
  let world: World;
  /** Before and after the first chat. */
  const seen: { readonly position: string; readonly body: object }[] = [];
  const get = (path: string, asOf?: string) =>
    request(world.quipu.url)
      .get(path)
      .query(asOf === undefined ? {} : { asOf })
      .set('Authorization', `Bearer ${world.credentials.api_key}`);
  const look = async (): Promise<void> => {
    const { body } = await get(OVERVIEW).expect(200);
    const { position } = body as { position: string };
    const { body: invoices } = await get(INVOICES).expect(200);
    seen.push({ position, body: { overview: body, invoices } });
  };

  beforeAll(async () => {
    world = await startWorld([answering('Knots', ' keep', ' accounts', '.')]);
    await look();
    for (let chat = 0; chat < 2; chat += 1) {
      await world.openai.chat.completions.create(chatRequest());
      await look();
    }
  });

  afterAll(() => world.close());

  it('are the prices that were given then', async () => {
    for (const { position, body } of seen) {
      const overview = (await get(OVERVIEW, position).expect(200)).body as { position: string };
      const invoices = (await get(INVOICES, position).expect(200)).body as { position: string };
      expect({ overview, invoices }).toMatchObject(body);
      expect([overview.position, invoices.position]).toEqual([position, position]);
    }
    expect(new Set(seen.map(({ body }) => JSON.stringify(body))).size).toBe(3);
  });

  it('are found by an instant', async () => {
    const [, after] = seen;
    const events = await world.log();
    const last = events.findLast(({ position }) => position <= BigInt(after?.position ?? '0'));
    const { body } = await get(OVERVIEW, last?.recordedAt).expect(200);
    expect({ overview: body }).toMatchObject({
      overview: (after?.body as { overview: object }).overview,
    });
  });

  it('are empty before the first event', async () => {
    const before = await get(OVERVIEW, '2020-01-01T00:00:00Z').expect(200);
    expect(before.body).toMatchObject({ balance_usd: 0, position: '0' });
    const { body } = await get(INVOICES, '0').expect(200);
    expect(body).toMatchObject({ balance_usd: 0, total_records: 0, invoices: [], position: '0' });
  });

  it('have the rate cards that the log had then', async () => {
    const events = await world.events();
    const published = events.find(({ type }) => type === 'RateCardPublished')?.position ?? 0n;
    await get(RATES, String(published - 1n)).expect(404);
    const { body } = await get(RATES, String(published)).expect(200);
    expect(body).toMatchObject({ position: String(published) });
  });

  it.each([
    '9223372036854775807',
    '2999-01-01T00:00:00Z',
    '-1',
    'yesterday',
    '2026-02-30T00:00:00Z',
  ])('do not exist for %s', async (asOf) => {
    for (const path of [OVERVIEW, INVOICES, RATES]) {
      const { body } = await get(path, asOf).expect(400);
      expect(body).toMatchObject({ success: false, message: expect.stringContaining('asOf') });
    }
  });
});
