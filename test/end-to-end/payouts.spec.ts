import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const PAYOUTS = '/api/v1/payouts';
/** 9 tokens in and 100 out: 209 micro-dollars, of which the partner gets a half. */
const WORDS = Array.from({ length: 100 }, () => 'knot ');
const EARNED_USD = 0.000_104;

interface Listed {
  readonly balance: { readonly accrued_usd: number };
  readonly payouts: readonly unknown[];
}

describe('payouts', () => {
  let world: World;
  let manager: CreatedUser;
  let renter: CreatedUser;

  const commands = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([answering(...WORDS)]);
    manager = await commands.createUser('mama', 'Partner');
    renter = await commands.createUser('ada', 'renter');
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const admin = () => bearer(world.credentials.api_key);
  const byManager = () => bearer(manager.api_key);
  const listed = async (): Promise<Listed> =>
    (await http().get(PAYOUTS).set(byManager()).expect(200)).body as Listed;
  const ask = (body: object = {}) => http().post(PAYOUTS).set(byManager()).send(body);
  const askFor = async (amount: number): Promise<string> => {
    const { body } = await ask({ amount_usd: amount }).expect(201);
    return (body as { readonly payout_id: string }).payout_id;
  };

  it('are of the earnings of a partner; partners are kept by the command line, too', async () => {
    const terms = ['--slug', 'andes', '--name', 'Andes Cloud', '--share', '50'];
    expect(await commands.result('partner', 'create', ...terms)).toMatchObject({ partner_id: 1 });
    await commands.result('partner', 'add-manager', '--partner', '1', '--user', 'mama');
    await commands.result('partner', 'add-user', '--partner', '1', '--user', 'ada');
    await commands.result('partner', 'assign-rig', '--partner', '1', '--rig', 'scripted');
    expect(await commands.result('partner', 'list')).toMatchObject({
      partners: [{ id: 1, partner_slug: 'andes', sub_users_count: 1, fleet_rigs: ['scripted'] }],
    });
    await commands.result('account', 'credit', '--user', 'ada', '--usd', '1', '--reason', 'trial');
    await http()
      .post('/v1/chat/completions')
      .set(bearer(renter.api_key))
      .send(chatRequest())
      .expect(200);
    await eventually(async () => (await listed()).balance.accrued_usd > 0);
    expect(await listed()).toMatchObject({
      success: true,
      beneficiary: 'partner-1',
      total_records: 0,
      balance: {
        accrued_usd: EARNED_USD,
        open_usd: 0,
        paid_usd: 0,
        withheld_usd: 0,
        available_usd: EARNED_USD,
      },
    });
  });

  it('are never more than that', async () => {
    const above = await ask({ amount_usd: 0.000_105 }).expect(409);
    expect(above.body).toMatchObject({ code: 'payout_above_accrued', param: 'amount_usd' });
    const none = await ask({ amount_usd: 0 }).expect(400);
    expect(none.body).toMatchObject({ code: 'payout_not_positive' });
    await ask({ amount_usd: 0.000_000_1 }).expect(400);
    await http().post(PAYOUTS).set(bearer(renter.api_key)).send({}).expect(403);
    await ask({ beneficiary: 'partner-2' }).expect(404);
    const byAdmin = http().post(PAYOUTS).set(admin()).send({ beneficiary: 'partner-2' });
    expect((await byAdmin.expect(400)).body).toMatchObject({ code: 'payout_not_positive' });
    await http().post(PAYOUTS).set(admin()).send({}).expect(400);
  });

  it('are requested, approved with the tax, and paid', async () => {
    const payoutId = await askFor(0.000_1);
    const path = `${PAYOUTS}/partner-1/${payoutId}`;
    const payee = { country: 'MX', treaty_claimed: true };
    await http().post(`${path}/approve`).set(byManager()).send(payee).expect(403);
    await http().post(`${path}/pay`).set(admin()).send({ reference: 'SEPA-1' }).expect(409);
    const nowhere = await http().post(`${path}/approve`).set(admin()).send({ country: 'ZZ' });
    expect([nowhere.status, nowhere.body]).toMatchObject([422, { code: 'country_unknown' }]);
    await http().post(`${path}/approve`).set(admin()).send(payee).expect(200);
    const open = await http().get(`${PAYOUTS}/open`).set(admin()).expect(200);
    expect(open.body).toMatchObject({ payouts: [{ payout_id: payoutId, status: 'approved' }] });
    await http().post(`${path}/pay`).set(admin()).send({ reference: 'SEPA-1' }).expect(200);
    await http().post(`${path}/pay`).set(admin()).send({ reference: 'SEPA-2' }).expect(409);
    expect(await listed()).toMatchObject({
      balance: {
        open_usd: 0,
        paid_usd: 0.000_1,
        withheld_usd: 0.000_01,
        available_usd: 0.000_004,
      },
      payouts: [
        {
          payout_id: payoutId,
          status: 'paid',
          amount_usd: 0.000_1,
          tax: {
            country: 'MX',
            income_type: 'industrial_royalties',
            treaty_claimed: true,
            rate_pct: 10,
            withheld_usd: 0.000_01,
            article: 'Article 12',
          },
          net_usd: 0.000_09,
          reference: 'SEPA-1',
        },
      ],
    });
  });

  it('can be rejected by the command line, and requested again', async () => {
    const payoutId = await askFor(0.000_004);
    await ask().expect(400);
    const of = ['--beneficiary', 'partner-1', '--payout', payoutId];
    await commands.result('payout', 'reject', ...of, '--reason', 'the account is closed');
    const { body } = await ask().expect(201);
    const { payout_id: again } = body as { readonly payout_id: string };
    const other = ['--beneficiary', 'partner-1', '--payout', again];
    await commands.result('payout', 'approve', ...other, '--country', 'US');
    await commands.result('payout', 'pay', ...other, '--reference', 'ACH-7', '--yes');
    expect(await commands.result('payout', 'list', '--beneficiary', 'partner-1')).toMatchObject({
      total_records: 3,
      payouts: [
        { status: 'paid', amount_micro_usd: '4', withheld_micro_usd: '0', net_micro_usd: '4' },
        { status: 'rejected', reason: 'the account is closed' },
        { status: 'paid' },
      ],
    });
    expect(await commands.result('payout', 'list')).toMatchObject({ payouts: [] });
    const unknown = await commands.run('payout', 'pay', ...of.slice(0, 3), manager.api_key);
    expect(unknown.exitCode).toBe(2);
  });

  it('are seen by their beneficiary and by Admins', async () => {
    await http().get(PAYOUTS).expect(401);
    await http().get(PAYOUTS).set(bearer(renter.api_key)).expect(403);
    await http().get(`${PAYOUTS}?beneficiary=partner-2`).set(byManager()).expect(404);
    await http().get(`${PAYOUTS}/open`).set(byManager()).expect(403);
    const bare = await http().get(PAYOUTS).set(admin()).expect(400);
    expect(bare.body).toMatchObject({ code: 'beneficiary_required', param: 'beneficiary' });
    await http().get(`${PAYOUTS}?beneficiary=partner-1`).set(admin()).expect(200);
    await http().get(`${PAYOUTS}?beneficiary=else`).set(admin()).expect(400);
  });
});
