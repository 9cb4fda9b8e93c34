import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const INVESTOR = '/api/v1/investor';
/** 9 tokens in and 100 out: 9 and 200 micro-dollars. */
const WORDS = Array.from({ length: 100 }, () => 'knot ');

interface Dashboard {
  readonly portfolio_summary: Readonly<Record<string, unknown>>;
  readonly yield_metrics: { readonly lifetime: { readonly gross_revenue_usd: number } };
}

describe('investors', () => {
  let world: World;
  let investor: CreatedUser;
  let renter: CreatedUser;
  let allocationId: string;

  const commands = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([answering(...WORDS), answering(...WORDS)]);
    investor = await commands.createUser('inka', 'Investor');
    renter = await commands.createUser('ada', 'renter');
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const admin = () => bearer(world.credentials.api_key);
  const byInvestor = () => bearer(investor.api_key);
  const dashboard = async (): Promise<Dashboard> => {
    const { body } = await http().get(`${INVESTOR}/dashboard.php`).set(byInvestor()).expect(200);
    return body as Dashboard;
  };
  const share = () => ({
    investor_id: investor.user_id,
    rig: 'scripted',
    share_pct: 50,
    platform_fee_pct: 20,
    gpus: 4,
    purchase_price_usd: 12_000,
    purchased_on: '2026-01-31',
  });
  const allocate = (changes: object = {}) =>
    http()
      .post(`${INVESTOR}/allocations`)
      .set(admin())
      .send({ ...share(), ...changes });

  it('hold nothing at first', async () => {
    expect(await dashboard()).toMatchObject({
      success: true,
      investor_id: investor.user_id,
      portfolio_summary: {
        total_valuation_usd: 0,
        allocated_gpus: 0,
        active_nodes_count: 0,
        apy_annualized_pct: null,
        currency: 'USD',
      },
      yield_metrics: {
        last_24h: { gross_revenue_usd: 0, net_revenue_usd: 0 },
        last_30d: { gross_revenue_usd: 0, net_revenue_usd: 0 },
      },
    });
  });

  it('get shares of rigs by an Admin, at most the whole rig', async () => {
    const { body } = await allocate().expect(201);
    allocationId = (body as { readonly allocation_id: string }).allocation_id;
    const oversold = await allocate({ share_pct: 50.01 }).expect(409);
    expect(oversold.body).toMatchObject({ code: 'node_oversold', param: 'share_pct' });
    await http().post(`${INVESTOR}/allocations`).set(byInvestor()).send(share()).expect(403);
  });

  it.each([
    [{ investor_id: 1 }, 404, 'investor_not_found'],
    [{ rig: 'nowhere' }, 404, 'node_not_in_catalog'],
    [{ purchased_on: '2999-01-01', share_pct: 1 }, 400, 'purchase_in_future'],
    [{ purchased_on: '2026-02-30' }, 400, 'invalid_request'],
    [{ share_pct: 0 }, 400, 'invalid_request'],
    [{ purchase_price_usd: 1e-7 }, 400, 'invalid_request'],
    [{ platform_fee_pct: 100.5 }, 400, 'invalid_request'],
  ])('get no share with %j', async (changes, status, code) => {
    const { body } = await allocate(changes).expect(status);
    expect(body).toMatchObject({ success: false, code });
  });

  it('earn from the charges of their rigs', async () => {
    await commands.result('account', 'credit', '--user', 'ada', '--usd', '1', '--reason', 'trial');
    const chat = http().post('/v1/chat/completions').set(bearer(renter.api_key));
    await chat.send(chatRequest()).expect(200);
    await eventually(async () => {
      const { yield_metrics: metrics } = await dashboard();
      return metrics.lifetime.gross_revenue_usd !== 0;
    });
    // 209 micro-dollars: a half is 104.5, less a fifth 83.6.
    const revenue = { gross_revenue_usd: 0.000_104, net_revenue_usd: 0.000_083 };
    expect(await dashboard()).toMatchObject({
      portfolio_summary: {
        total_valuation_usd: 12_000,
        allocated_gpus: 4,
        active_nodes_count: 1,
        nodes_count: 1,
        apy_annualized_pct: null,
      },
      yield_metrics: { last_24h: revenue, last_30d: revenue, lifetime: revenue },
    });
    const nodes = await http().get(`${INVESTOR}/nodes.php`).set(byInvestor()).expect(200);
    expect(nodes.body).toMatchObject({
      nodes: [
        {
          name: 'scripted',
          status: 'allocated',
          is_in_catalog: true,
          share_pct: 50,
          gpus: 4,
          allocations: [
            { allocation_id: allocationId, purchase_price_usd: 12_000, ended_at: null },
          ],
          temperatures: null,
          lifetime: revenue,
          charges: 1,
        },
      ],
    });
    const ledger = await http().get(`${INVESTOR}/revenue.php`).set(byInvestor()).expect(200);
    expect(ledger.body).toMatchObject({
      page: 1,
      limit: 20,
      total_records: 1,
      total_pages: 1,
      revenue: [
        {
          date: new Date().toISOString().slice(0, 10),
          node: 'scripted',
          charges: 1,
          ...revenue,
          deductions_usd: 0.000_021,
        },
      ],
    });
  });

  it('see their own, and an Admin sees all of them', async () => {
    for (const path of ['dashboard.php', 'nodes.php', 'revenue.php']) {
      const at = `${INVESTOR}/${path}`;
      await http().get(at).expect(401);
      await http().get(at).set(bearer(renter.api_key)).expect(403);
      await http().get(`${at}?investor_id=1`).set(byInvestor()).expect(404);
      const first = await http().get(at).set(admin()).expect(200);
      expect(first.body).toMatchObject({ investor_id: investor.user_id });
      await http().get(`${at}?investor_id=${investor.user_id}`).set(admin()).expect(200);
      await http().get(`${at}?investor_id=${renter.user_id}`).set(admin()).expect(404);
    }
  });

  it('keep what a share has earned when it ends', async () => {
    const path = `${INVESTOR}/allocations/scripted/${allocationId}`;
    await http().delete(path).set(byInvestor()).expect(403);
    await http().delete(path).set(admin()).expect(200);
    const { body } = await http().get(`${INVESTOR}/nodes.php`).set(byInvestor()).expect(200);
    expect(body).toMatchObject({
      nodes: [
        {
          status: 'ended',
          share_pct: 0,
          allocations: [{ ended_at: expect.any(String) }],
          lifetime: { net_revenue_usd: 0.000_083 },
        },
      ],
    });
    expect((await dashboard()).portfolio_summary).toMatchObject({
      total_valuation_usd: 0,
      active_nodes_count: 0,
    });
    await allocate({ share_pct: 100 }).expect(201);
  });
});
