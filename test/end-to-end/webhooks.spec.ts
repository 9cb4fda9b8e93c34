import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type SimulatedOutput } from '#areas/payments/chains/simulated/simulated-chain.js';
import { openSimulatedChain } from '#areas/payments/chains/simulated/simulated-watcher.js';
import { saveSimulatedChain } from '#areas/payments/chains/simulated/simulated-chain.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { eventually, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const WEBHOOKS = '/api/v1/webhooks';
/** The account of BIP-84's test vectors. */
const ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH' +
  '1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';

/** A second rig, whose server is off: no server listens on the reserved port 1. */
const catalogOf = (baseUrl: string): string =>
  scriptedCatalog(baseUrl)
    .replace(
      '\nmodels:',
      '\n  - { name: silent, kind: openai, base_url: http://127.0.0.1:1/v1 }\nmodels:',
    )
    .replace('rigs: [scripted]', 'rigs: [scripted, silent]');

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Delivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly status_code: number | null;
}

describe('webhooks', () => {
  let world: World;
  let folder: string;
  let receiver: Server;
  let url: string;
  const received: Received[] = [];
  /** How often an endpoint fails before it accepts, by path. */
  const failures = new Map<string, number>();

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-webhooks-'));
    const asOf = new Date().toISOString();
    const prices = { as_of: asOf, prices: { BTC: '65000' } };
    await writeFile(path.join(folder, 'prices.json'), JSON.stringify(prices));
    receiver = createServer((message, response) => {
      const pieces: Buffer[] = [];
      message.on('data', (piece: Buffer) => pieces.push(piece));
      message.on('end', () => {
        const at = message.url ?? '';
        received.push({
          path: at,
          headers: message.headers,
          body: Buffer.concat(pieces).toString(),
        });
        const left = failures.get(at) ?? 0;
        failures.set(at, left - 1);
        response.writeHead(left > 0 ? 503 : 204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    world = await startWorld([], {
      catalogOf,
      environment: {
        QUIPU_WEBHOOK_PRIVATE: 'allow',
        QUIPU_WEBHOOK_RETRY_SECONDS: '0,0',
        QUIPU_CRYPTO_BTC_XPUB: ZPUB,
        QUIPU_CRYPTO_BTC_NODE: `simulated:${path.join(folder, 'chain.json')}`,
        QUIPU_CRYPTO_PRICES: `file:${path.join(folder, 'prices.json')}`,
        QUIPU_CRYPTO_POLL_SECONDS: '1',
        QUIPU_ALERT_SECONDS: '1',
        QUIPU_ALERT_RIG_SECONDS: '1',
      },
    });
  });

  afterAll(async () => {
    await world.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const http = () => request(world.quipu.url);
  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const register = async (at: string, types: readonly string[] = [], format = 'standard') => {
    const body = { url: `${url}${at}`, types, format };
    const answer = await http().post(WEBHOOKS).set(authorization()).send(body).expect(201);
    return answer.body as { readonly webhook: { readonly id: string }; readonly secret: string };
  };
  const deliveries = async (): Promise<readonly Delivery[]> => {
    const { body } = await http().get(`${WEBHOOKS}/deliveries`).set(authorization()).expect(200);
    return (body as { readonly deliveries: readonly Delivery[] }).deliveries;
  };
  const payAnInvoice = async (): Promise<string> => {
    const asked = http().post('/api/v1/billing/create_crypto_invoice.php').set(authorization());
    const { body } = await asked.send({ amount_usd: 50, currency: 'BTC' }).expect(200);
    const invoice = body as {
      readonly invoice_id: string;
      readonly pay_address: string;
      readonly crypto_amount_units: string;
    };
    const file = path.join(folder, 'chain.json');
    const chain = await openSimulatedChain(file, Date.now);
    const output: SimulatedOutput = {
      currency: 'BTC',
      address: invoice.pay_address,
      reference: null,
      units: invoice.crypto_amount_units,
    };
    chain.pay(output);
    chain.mine(2);
    await saveSimulatedChain(file, chain);
    return invoice.invoice_id;
  };

  it('receive what happens to the account, signed', async () => {
    const all = await register('/all');
    const some = await register('/some', ['invoice.completed']);
    const invoiceId = await payAnInvoice();
    await eventually(() => received.filter(({ path: at }) => at === '/some').length === 1);
    await eventually(() => received.filter(({ path: at }) => at === '/all').length === 3);
    const types = received
      .filter(({ path: at }) => at === '/all')
      .map(({ body }) => (JSON.parse(body) as { readonly type: string }).type);
    expect(types.toSorted()).toEqual([
      'invoice.completed',
      'invoice.payment_confirmed',
      'invoice.payment_detected',
    ]);
    const [one] = received.filter(({ path: at }) => at === '/some');
    const verified = new Webhook(some.secret).verify(one?.body ?? '', {
      'webhook-id': String(one?.headers['webhook-id']),
      'webhook-timestamp': String(one?.headers['webhook-timestamp']),
      'webhook-signature': String(one?.headers['webhook-signature']),
    });
    expect(verified).toEqual({
      type: 'invoice.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      account_id: expect.stringMatching(/^\d+$/),
      data: expect.objectContaining({
        invoice_id: invoiceId,
        status: 'completed',
        currency: 'BTC',
        credit_micro_usd: '50000000',
      }),
    });
    expect(all.secret).not.toBe(some.secret);
    const events = JSON.stringify((await world.events()).map(({ data }) => data));
    expect(events).not.toContain(some.secret.slice('whsec_'.length));
    expect(events).not.toContain(`${url}/some`);
  });

  it('are tried again, given up, and replayed with the same id', async () => {
    const { webhook } = await register('/flaky', ['invoice.completed']);
    failures.set('/flaky', 3);
    await payAnInvoice();
    const ofFlaky = async () =>
      (await deliveries()).find(({ webhook_id: id }) => id === webhook.id);
    await eventually(async () => (await ofFlaky())?.status === 'failed');
    const failed = await ofFlaky();
    expect(failed).toMatchObject({ attempts: 3, status_code: 503, type: 'invoice.completed' });
    const replay = `${WEBHOOKS}/deliveries/${failed?.id}/replay`;
    await http().post(replay).set(authorization()).expect(202);
    await eventually(async () => (await ofFlaky())?.status === 'delivered');
    expect(await ofFlaky()).toMatchObject({ attempts: 4, status_code: 204 });
    const ids = received
      .filter(({ path: at }) => at === '/flaky')
      .map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(1);
  });

  it('are listed without their secrets, and deleted', async () => {
    const { webhook } = await register('/gone');
    const list = async () => {
      const { body } = await http().get(WEBHOOKS).set(authorization()).expect(200);
      return body as {
        readonly webhooks: readonly { readonly id: string; readonly url: string }[];
        readonly available_types: readonly string[];
      };
    };
    const listed = await list();
    expect(listed.webhooks.find(({ id }) => id === webhook.id)?.url).toBe(`${url}/gone`);
    expect(JSON.stringify(listed)).not.toContain('whsec_');
    expect(listed.available_types).toContain('invoice.completed');
    await http().delete(`${WEBHOOKS}/${webhook.id}`).set(authorization()).expect(200);
    expect((await list()).webhooks.map(({ id }) => id)).not.toContain(webhook.id);
    const again = await http().delete(`${WEBHOOKS}/${webhook.id}`).set(authorization()).expect(404);
    expect(again.body).toMatchObject({ code: 'webhook_not_found' });
    const before = received.length;
    await payAnInvoice();
    await eventually(() => received.slice(before).some(({ path: at }) => at === '/all'));
    expect(received.filter(({ path: at }) => at === '/gone')).toEqual([]);
  });

  it('receive a test message, whatever types they ask for', async () => {
    const { webhook, secret } = await register('/tested', ['invoice.expired']);
    const test = http().post(`${WEBHOOKS}/${webhook.id}/test`).set(authorization());
    const { body } = await test.expect(202);
    await eventually(() => received.some(({ path: at }) => at === '/tested'));
    const one = received.find(({ path: at }) => at === '/tested');
    const headers = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        String(one?.headers[name]),
      ]),
    );
    expect(new Webhook(secret).verify(one?.body ?? '', headers)).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: webhook.id },
    });
    const { delivery_id: id } = body as { readonly delivery_id: string };
    await eventually(async () =>
      (await deliveries()).some((one) => one.id === id && one.status === 'delivered'),
    );
    const unknown = `${WEBHOOKS}/01890a5d-ac96-774b-8cce-b302099a8057/test`;
    const { body: answer } = await http().post(unknown).set(authorization()).expect(404);
    expect(answer).toMatchObject({ code: 'webhook_not_found' });
  });

  it('receive an alert once a day, also as a text for Slack', async () => {
    await register('/slack', ['alert.raised'], 'slack');
    const none = await http().get('/api/v1/alerts').set(authorization()).expect(200);
    expect(none.body).toMatchObject({ balance_below_usd: null, spend_anomaly: false });
    const rules = { balance_below_usd: 999_999, days_left_below: 3 };
    await http().put('/api/v1/alerts').set(authorization()).send(rules).expect(200);
    await eventually(() => received.some(({ path: at }) => at === '/slack'));
    const { text } = JSON.parse(received.find(({ path: at }) => at === '/slack')?.body ?? '') as {
      readonly text: string;
    };
    expect(text).toContain('*alert.raised* of account');
    expect(text).toContain('kind: balance_low');
    expect(text).toContain('below_usd: 999999');
    const { body } = await http().get('/api/v1/alerts').set(authorization()).expect(200);
    expect(body).toMatchObject({
      ...rules,
      spend_anomaly: false,
      last_alerts: [{ kind: 'balance_low' }],
    });
    const wrong = { balance_below_usd: -1 };
    const refused = await http().put('/api/v1/alerts').set(authorization()).send(wrong).expect(400);
    expect(JSON.stringify(refused.body)).toContain('balance_below_usd');
  });

  it('receive alerts of a key that ends soon, and of a rig that is down', async () => {
    const { webhook } = await register('/alerts', ['alert.raised']);
    const endsAt = new Date(Date.now() + 6 * 86_400_000).toISOString();
    const key = { name: 'ending', expires_at: endsAt };
    const issued = await http()
      .post('/api/v1/auth/keys')
      .set(authorization())
      .send(key)
      .expect(201);
    const { id: keyId } = (issued.body as { readonly key: { readonly id: string } }).key;
    const rules = { key_ends_within_days: 7, rig_down: true };
    await http().put('/api/v1/alerts').set(authorization()).send(rules).expect(200);
    const ownMessages = () =>
      received
        .filter(({ path: at }) => at === '/alerts')
        .map(({ body }) => JSON.parse(body) as { readonly data: { readonly kind: string } });
    await eventually(() => ownMessages().length >= 2);
    const sorted = ownMessages().toSorted((one, other) =>
      one.data.kind.localeCompare(other.data.kind),
    );
    const account_id = expect.stringMatching(/^\d+$/);
    expect(sorted).toMatchObject([
      {
        account_id,
        data: { kind: 'key_ending', key_id: keyId, ends_at: endsAt, within_days: 7, rig: null },
      },
      { account_id, data: { kind: 'rig_down', rig: 'silent', cause: 'unreachable', key_id: null } },
    ]);
    const { body } = await http().get('/api/v1/alerts').set(authorization()).expect(200);
    expect(body).toMatchObject(rules);
    await http().delete(`${WEBHOOKS}/${webhook.id}`).set(authorization()).expect(200);
  });

  it('about rigs are for operators', async () => {
    const { api_key: key } = await new CommandLine(() => world).createUser('ada', 'renter');
    const put = http()
      .put('/api/v1/alerts')
      .set({ authorization: `Bearer ${key}` });
    const { body } = await put.send({ rig_down: true }).expect(403);
    expect(body).toMatchObject({ code: 'alert_for_operators', param: 'rig_down' });
  });

  it('receive the events of their account that they ask for, and of no other account', async () => {
    const { api_key: key } = await new CommandLine(() => world).createUser('eve', 'renter');
    const ofEve = { authorization: `Bearer ${key}` };
    const types = ['AlertRulesSet', 'WebhookEndpointDeleted'];
    const asked = { url: `${url}/events`, types };
    const refused = await http().post(WEBHOOKS).set(authorization()).send(asked).expect(400);
    expect(refused.body).toMatchObject({ code: 'webhook_type_unknown', param: 'types' });
    await register('/events', ['AlertRulesSet']);
    const eves = { url: `${url}/eve`, types: ['AlertRulesSet'] };
    await http().post(WEBHOOKS).set(ofEve).send(eves).expect(201);
    const set = (headers: { readonly authorization: string }, days: number) =>
      http().put('/api/v1/alerts').set(headers).send({ days_left_below: days }).expect(200);
    await set(authorization(), 11);
    await set(ofEve, 12);
    const messagesAt = (at: string) =>
      received.filter((one) => one.path === at).map(({ body }) => JSON.parse(body) as unknown);
    await eventually(() => messagesAt('/events').length > 0 && messagesAt('/eve').length > 0);
    const rulesOf = (days: number) => ({
      type: 'AlertRulesSet',
      version: 1,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      account_id: expect.stringMatching(/^\d+$/),
      data: expect.objectContaining({
        accountId: expect.any(String),
        rules: expect.objectContaining({ daysLeftBelow: days }),
      }),
    });
    expect(messagesAt('/events')).toEqual([rulesOf(11)]);
    expect(messagesAt('/eve')).toEqual([rulesOf(12)]);
  });

  it('have a schema for each type', async () => {
    const get = (at: string) => http().get(`${WEBHOOKS}${at}`).set(authorization());
    const { body: listed } = await get('').expect(200);
    const { available_events: events } = listed as { readonly available_events: string[] };
    expect(events).toEqual(expect.arrayContaining(['HoldCaptured', 'StatementClosed']));
    expect(events.filter((type) => /^Webhook|^ApiKey|^User|^RigAttempts/.test(type))).toEqual([]);
    const { body: event } = await get('/types/StatementClosed').expect(200);
    expect(event).toMatchObject({
      type: 'StatementClosed',
      version: 1,
      schema: { $id: 'urn:quipu:event:billing:StatementClosed:1', required: expect.anything() },
    });
    const { body: notification } = await get('/types/statement.ready').expect(200);
    expect(notification).toMatchObject({ version: null, schema: { type: 'object' } });
    const { body: unknown } = await get('/types/UserRegistered').expect(404);
    expect(unknown).toMatchObject({ code: 'webhook_type_not_found', param: 'type' });
  });

  it('are created once for a repeated request', async () => {
    const body = { url: `${url}/once`, types: ['invoice.expired'] };
    const once = () =>
      http().post(WEBHOOKS).set(authorization()).set('idempotency-key', 'once').send(body);
    const [first, again] = [await once().expect(201), await once().expect(201)];
    expect(again.body).toEqual(first.body);
  });

  it.each([
    [{ url: 'nowhere' }, 'url'],
    [{ url: 'ftp://shop.example' }, 'url'],
    [{ url: 'https://[fe80::1%25lo]/' }, 'url'],
    [{}, 'url'],
    [{ url: 'https://shop.example', types: 'invoice.completed' }, 'types'],
    [{ url: 'https://shop.example', types: ['invoice.unknown'] }, 'types'],
    [{ url: 'https://shop.example', format: 'teams' }, 'format'],
  ])('are rejected by field: %j', async (body, field) => {
    const { body: answer } = await http()
      .post(WEBHOOKS)
      .set(authorization())
      .send(body)
      .expect(400);
    expect(JSON.stringify(answer)).toContain(field);
  });

  it('bring no mails where the operator has set no server', async () => {
    const asked = http().post(WEBHOOKS).set(authorization()).send({ format: 'mail' });
    const { body } = await asked.expect(409);
    expect(body).toMatchObject({ code: 'webhook_mail_not_set_up', param: 'format' });
    const reset = http().post('/api/v1/users/1/password_reset').set(authorization());
    const { body: answer } = await reset.send({ send_mail: true }).expect(409);
    expect(answer).toMatchObject({ code: 'mail_not_set_up', param: 'send_mail' });
  });

  it('of other accounts cannot be replayed', async () => {
    const replay = `${WEBHOOKS}/deliveries/01890a5d-ac96-774b-8cce-b302099a8057/replay`;
    const { body } = await http().post(replay).set(authorization()).expect(404);
    expect(body).toMatchObject({ code: 'webhook_delivery_not_found', param: 'id' });
  });
});
