import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const PARTNERS = '/api/v1/partners';
/** 9 tokens in and 100 out: 9 and 200 micro-dollars. */
const WORDS = Array.from({ length: 100 }, () => 'knot ');
const CHARGE_USD = 0.000_209;

const branding = {
  primary_color: '#7a3e1d',
  accent_color: '#c9a227',
  body_bg_color: '#ffffff',
  card_bg_color: '#f5f0e8',
};
const andes = {
  partner_name: 'Andes Cloud',
  partner_slug: 'andes-cloud',
  revenue_share_pct: 15,
  revenue_share_max_pct: 20,
  branding,
};

interface Overview {
  readonly metrics: Readonly<Record<string, number>>;
  readonly position: string;
}

describe('partners', () => {
  let world: World;
  let manager: CreatedUser;
  let renter: CreatedUser;
  let beforeTheLoss: string;

  const commands = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld(Array.from({ length: 4 }, () => answering(...WORDS)));
    manager = await commands.createUser('mama', 'Partner');
    renter = await commands.createUser('ada', 'renter');
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const admin = () => bearer(world.credentials.api_key);
  const byManager = () => bearer(manager.api_key);
  const overview = async (): Promise<Overview> => {
    const { body } = await http().get(`${PARTNERS}/overview.php`).set(byManager()).expect(200);
    return body as Overview;
  };
  const chat = async (key: string): Promise<void> => {
    await http().post('/v1/chat/completions').set(bearer(key)).send(chatRequest()).expect(200);
  };

  it('are registered by an Admin, under a slug of their own', async () => {
    const { body } = await http().post(PARTNERS).set(admin()).send(andes).expect(201);
    expect(body).toMatchObject({
      success: true,
      partner: { id: 1, ...andes, fleet_rigs: [], registered_at: expect.any(String) },
    });
    const again = await http().post(PARTNERS).set(admin()).send(andes).expect(409);
    expect(again.body).toMatchObject({ code: 'partner_slug_taken', param: 'partner_slug' });
    await http().post(PARTNERS).set(byManager()).send(andes).expect(403);
  });

  it('are seen by their managers and Admins only', async () => {
    const path = `${PARTNERS}/overview.php`;
    const unassigned = await http().get(path).set(byManager()).expect(403);
    expect(unassigned.body).toMatchObject({ code: 'partner_not_assigned' });
    await http().put(`${PARTNERS}/1/managers/${manager.user_id}`).set(admin()).expect(200);
    await http().get(path).set(byManager()).expect(200);
    await http().get(path).set(bearer(renter.api_key)).expect(403);
    const first = await http().get(path).set(admin()).expect(200);
    expect(first.body).toMatchObject({ partner: { id: 1 } });
    await http().get(`${PARTNERS}/subusers.php`).set(admin()).expect(200);
    const margins = { revenue_share_pct: 15 };
    const only = await http()
      .post(`${PARTNERS}/margins.php`)
      .set(admin())
      .send(margins)
      .expect(200);
    expect(only.body).toMatchObject({ partner: { id: 1 } });
    await http().get(`${path}?partner_id=1`).set(admin()).expect(200);
    await http().get(`${path}?partner_id=2`).set(admin()).expect(404);
    await http().get(`${path}?partner_id=2`).set(byManager()).expect(404);
    await http().put(`${PARTNERS}/1/managers/${renter.user_id}`).set(admin()).expect(409);
  });

  it('register sub-users, whose charges earn from then on', async () => {
    const ada = { username: 'inti', email: 'inti@example.com', password: 'correct horse' };
    const { body } = await http()
      .post(`${PARTNERS}/subusers.php`)
      .set(byManager())
      .send(ada)
      .expect(201);
    expect(body).toMatchObject({ success: true, partner_id: 1 });
    const { user_id: userId } = body as { readonly user_id: number };
    await commands.result('account', 'credit', '--user', 'inti', '--usd', '1', '--reason', 'trial');
    const { body: session } = await http()
      .post('/api/v1/auth/login')
      .send({ username: ada.username, password: ada.password })
      .expect(200);
    await chat((session as { readonly api_key: string }).api_key);
    await eventually(async () => (await overview()).metrics['monthly_volume_usd'] !== 0);
    expect(await overview()).toMatchObject({
      partner: { id: 1, revenue_share_pct: 15 },
      metrics: {
        sub_users_count: 1,
        fleet_rigs_count: 0,
        monthly_volume_usd: CHARGE_USD,
        reseller_earnings_usd: 0.000_031,
        lifetime_volume_usd: CHARGE_USD,
        lifetime_earnings_usd: 0.000_031,
      },
    });
    const page = await http().get(`${PARTNERS}/subusers.php?limit=5`).set(byManager()).expect(200);
    expect(page.body).toMatchObject({
      page: 1,
      limit: 5,
      total_records: 1,
      total_pages: 1,
      sub_users: [
        {
          user_id: userId,
          username: 'inti',
          email: 'inti@example.com',
          status: 'active',
          left_at: null,
          monthly_volume_usd: CHARGE_USD,
          reseller_earnings_usd: 0.000_031,
          charges: 1,
        },
      ],
    });
  });

  it('change their share up to the ceiling, for later charges', async () => {
    const margins = (key: ReturnType<typeof bearer>, body: object) =>
      http().post(`${PARTNERS}/margins.php`).set(key).send(body);
    const { body } = await margins(byManager(), { revenue_share_pct: 20 }).expect(200);
    expect(body).toMatchObject({ partner: { revenue_share_pct: 20 } });
    const above = await margins(byManager(), { revenue_share_pct: 20.01 }).expect(409);
    expect(above.body).toMatchObject({ code: 'share_above_ceiling', param: 'revenue_share_pct' });
    const most = { revenue_share_pct: 30, revenue_share_max_pct: 30 };
    await margins(byManager(), most).expect(403);
    await margins(admin(), { ...most, partner_id: 1 }).expect(200);
    await margins(byManager(), { revenue_share_pct: 12.345 }).expect(400);
    await margins(byManager(), { revenue_share_pct: -1 }).expect(400);
    await commands.result('account', 'credit', '--user', 'ada', '--usd', '1', '--reason', 'trial');
    await http().put(`${PARTNERS}/1/subusers/${renter.user_id}`).set(admin()).expect(200);
    await chat(renter.api_key);
    await eventually(async () => (await overview()).metrics['monthly_volume_usd'] !== CHARGE_USD);
    expect((await overview()).metrics).toMatchObject({
      sub_users_count: 2,
      monthly_volume_usd: 0.000_418,
      // 31.35 + 62.7 micro-dollars: the fractions are carried.
      reseller_earnings_usd: 0.000_094,
    });
  });

  it('lose a sub-user, and keep what was earned', async () => {
    const path = `${PARTNERS}/1/subusers/${renter.user_id}`;
    beforeTheLoss = (await overview()).position;
    await http().delete(path).set(byManager()).expect(200);
    await http().delete(path).set(byManager()).expect(404);
    const { body } = await http().get(`${PARTNERS}/subusers.php`).set(byManager()).expect(200);
    const listed = body as { readonly sub_users: readonly object[] };
    expect(listed.sub_users).toContainEqual(
      expect.objectContaining({ username: 'ada', email: null, status: 'left', charges: 1 }),
    );
    expect((await overview()).metrics).toMatchObject({
      sub_users_count: 1,
      monthly_volume_usd: 0.000_418,
    });
  });

  it('are seen as they were at a past state of the log', async () => {
    const at = (asOf: string) =>
      http().get(`${PARTNERS}/overview.php?asOf=${asOf}`).set(byManager());
    await at('1').expect(404);
    const { body } = await at(beforeTheLoss).expect(200);
    expect(body).toMatchObject({
      metrics: { sub_users_count: 2, monthly_volume_usd: 0.000_418 },
      position: beforeTheLoss,
    });
    await at('yesterday').expect(400);
  });

  it('have a fleet of rigs of the catalog', async () => {
    await http().put(`${PARTNERS}/1/rigs/scripted`).set(admin()).expect(200);
    expect((await overview()).metrics).toMatchObject({ fleet_rigs_count: 1 });
    await http().put(`${PARTNERS}/1/rigs/nowhere`).set(admin()).expect(404);
    await http().delete(`${PARTNERS}/1/rigs/scripted`).set(admin()).expect(200);
    expect((await overview()).metrics).toMatchObject({ fleet_rigs_count: 0 });
  });

  it('keep the names of their users out of the log', async () => {
    const log = JSON.stringify(await world.events(), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(log).not.toContain('inti');
    expect(log).not.toContain('example.com');
  });
});
