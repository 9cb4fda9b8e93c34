import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import request from 'supertest';
import { verifyBill } from '#areas/audit/bill/verify-bill.js';
import { runCommand } from './command-line.fixture.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

const SECRET = 'whsec_3f9a1c7be24d5f60a8b1';
const PAYMENT = 'pi_3PqrXyz';

describe('money that comes in and goes back', () => {
  let world: World;
  const stripe = new Stripe('sk_test_none');

  beforeAll(async () => {
    const environment = { QUIPU_STRIPE_WEBHOOK_SECRET: SECRET, QUIPU_FUNDS_WAIT_MS: '0' };
    world = await startWorld([answering('Knots', ' keep')], { environment });
  });

  afterAll(() => world.close());

  const send = (path: string, body: object, key = world.credentials.api_key) =>
    request(world.quipu.url)
      .post(`/api/v1/${path}`)
      .set('Authorization', `Bearer ${key}`)
      .send(body);

  /** The event, signed by the SDK of Stripe. */
  const notify = (type: string, object: object, secret = SECRET) => {
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
    return request(world.quipu.url)
      .post('/api/v1/billing/stripe_events')
      .set('Content-Type', 'application/json')
      .set('Stripe-Signature', stripe.webhooks.generateTestHeaderString({ payload, secret }))
      .send(payload);
  };

  const available = async (): Promise<number> => {
    const asked = request(world.quipu.url)
      .get('/api/v1/billing/overview.php')
      .set('Authorization', `Bearer ${world.credentials.api_key}`);
    const { available_usd } = (await asked.expect(200)).body as { readonly available_usd: number };
    return available_usd;
  };

  const paid = (more: object = {}) => ({
    id: PAYMENT,
    amount_received: 2_500,
    currency: 'usd',
    metadata: { quipu_account: '1' },
    ...more,
  });

  it('is credited once under the id of its payment', async () => {
    const before = await available();
    const path = 'accounts/1/deposits';
    const order = { deposit_id: 'wire-1', amount_usd: 1.5, reason: 'a wire' };
    const first = await send(path, order).expect(200);
    expect(first.body).toMatchObject({ changed: true, available_usd: before + 1.5 });
    const again = await send(path, order).expect(200);
    expect(again.body).toMatchObject({ changed: false, event_id: null });
    const other = await send(path, { ...order, amount_usd: 2 }).expect(409);
    expect(other.body).toMatchObject({ code: 'deposit_conflict' });
    const back = { kind: 'refund', total_usd: 0.5 };
    const reversal = await send(`${path}/wire-1/reversals`, back).expect(200);
    expect(reversal.body).toMatchObject({ changed: true, available_usd: before + 1 });
    await send(`${path}/wire-2/reversals`, back).expect(404);
    await send(`${path}/wire-1/reversals`, { ...back, total_usd: 1.6 }).expect(409);
  });

  it('is credited, refunded and charged back by events of Stripe, in any order', async () => {
    const before = await available();
    const refund = { id: 'ch_1', payment_intent: PAYMENT, currency: 'usd' };
    const early = await notify('charge.refunded', { ...refund, amount_refunded: 500 }).expect(404);
    expect(early.body).toMatchObject({ code: 'stripe_payment_not_found' });
    for (let times = 0; times < 2; times += 1) {
      const taken = await notify('payment_intent.succeeded', paid()).expect(200);
      expect(taken.body).toEqual({ success: true, taken: true });
      expect(await available()).toBe(before + 25);
    }
    await notify('charge.refunded', { ...refund, amount_refunded: 700 }).expect(200);
    await notify('charge.refunded', { ...refund, amount_refunded: 500 }).expect(200);
    expect(await available()).toBe(before + 18);
    const dispute = { id: 'dp_1', payment_intent: PAYMENT, amount: 1_800, currency: 'usd' };
    await notify('charge.dispute.funds_withdrawn', dispute).expect(200);
    expect(await available()).toBe(before);
    await notify('charge.dispute.funds_reinstated', dispute).expect(200);
    expect(await available()).toBe(before + 18);
  });

  it('is not taken from a sender without the secret', async () => {
    const before = await available();
    const forged = await notify('payment_intent.succeeded', paid({ id: 'pi_2' }), 'whsec_guess');
    expect(forged).toMatchObject({ status: 401, body: { code: 'stripe_signature_invalid' } });
    const missing = request(world.quipu.url).post('/api/v1/billing/stripe_events').send({});
    await missing.expect(401);
    const stray = paid({ id: 'pi_3', metadata: { quipu_account: '999' } });
    const unknown = await notify('payment_intent.succeeded', stray).expect(404);
    expect(unknown.body).toMatchObject({ code: 'account_not_found' });
    expect(await available()).toBe(before);
  });

  it('leaves an account overdrawn where it was spent, and the books balance', async () => {
    const path = 'accounts/1/deposits';
    await send(path, { deposit_id: 'wire-3', amount_usd: 20 }).expect(200);
    await world.openai.chat.completions.create(chatRequest());
    const left = await available();
    const note = await send(`${path}/opening-credit/reversals`, {
      kind: 'chargeback',
      total_usd: 10,
    }).expect(200);
    expect(note.body).toMatchObject({ available_usd: Number((left - 10).toFixed(6)) });
    await send(`${path}/wire-3/reversals`, { kind: 'chargeback', total_usd: 20 }).expect(200);
    const reverse = ['account', 'reverse', '--user', 'demo', '--deposit-id', 'wire-1'];
    const command = [...reverse, '--kind', 'chargeback', '--usd', '1', '--reason', 'test'];
    const { stdout: sentence } = await runCommand(world.environment, command);
    expect(sentence).toMatch(/^Took 1\.00 USD of deposit wire-1 back from demo/);
    await send(`${path}/stripe-dp_1-reinstated/reversals`, {
      kind: 'chargeback',
      total_usd: 18,
    }).expect(200);
    expect(await available()).toBeLessThan(0);
    await expect(world.openai.chat.completions.create(chatRequest())).rejects.toMatchObject({
      status: 402,
    });
    const { exitCode, stdout } = await runCommand(world.environment, ['ledger', 'check']);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
    const month = new Date().toISOString().slice(0, 7);
    const { text: logKey } = await request(world.quipu.url).get('/audit/key').expect(200);
    const { body: bill } = await request(world.quipu.url)
      .get(`/api/v1/billing/statements/${month}.zip`)
      .set('Authorization', `Bearer ${world.credentials.api_key}`)
      .responseType('blob')
      .expect(200);
    expect(verifyBill(bill as Buffer, { key: logKey.trimEnd() })).toMatchObject({ month });
    const statement = await request(world.quipu.url)
      .get(`/api/v1/billing/statements/${month}`)
      .set('Authorization', `Bearer ${world.credentials.api_key}`)
      .expect(200);
    expect(statement.body).toMatchObject({
      deposits: expect.arrayContaining([
        expect.objectContaining({
          reference_id: 'opening-credit',
          payment_method: 'chargeback',
          amount_micro_usd: '-10000000',
        }),
      ]) as unknown,
    });
  });
});
