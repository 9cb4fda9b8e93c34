import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import path from 'node:path';
import type jsQrPackage from 'jsqr';
import { PNG } from 'pngjs';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import request from 'supertest';
import { type SimulatedOutput } from '#areas/payments/chains/simulated/simulated-chain.js';
import { openSimulatedChain } from '#areas/payments/chains/simulated/simulated-watcher.js';
import { saveSimulatedChain } from '#areas/payments/chains/simulated/simulated-chain.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

// The types of the package describe CommonJS.
const { default: jsQr } = createRequire(import.meta.url)('jsqr') as typeof jsQrPackage;

const CREATE = '/api/v1/billing/create_crypto_invoice.php';
const STATUS = '/api/v1/billing/crypto_invoices';
/** The account of BIP-84's test vectors. */
const ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3Ef' +
  'H1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
/** The account m/0'/1/2' of the first vector of BIP-32. */
const XPUB =
  'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqF' +
  'JPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5';
const PRICES = { BTC: '65000', SOL: '160.5' };
const NOTIFY_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const SOL_ADDRESS = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';

interface Invoice {
  readonly invoice_id: string;
  readonly crypto_amount_units: string;
  readonly crypto_currency: SimulatedOutput['currency'];
  readonly pay_address: string;
  readonly reference: string | null;
  readonly payment_uri: string;
  readonly payment_url: string;
  readonly qr_code_url: string;
  readonly status: string;
  readonly expires_at: string;
}

describe('crypto invoices', () => {
  let world: World;
  let folder: string;

  const chainFile = () => path.join(folder, 'chain.json');
  const pricesFile = () => path.join(folder, 'prices.json');
  const setPrices = (prices: Readonly<Record<string, string>>, asOf = new Date()) =>
    writeFile(pricesFile(), JSON.stringify({ as_of: asOf.toISOString(), prices }));

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-crypto-'));
    await setPrices(PRICES);
    world = await startWorld([], {
      environment: {
        QUIPU_WEB_URL: 'https://quipu.example/',
        QUIPU_CRYPTO_BTC_XPUB: ZPUB,
        QUIPU_CRYPTO_BTC_NODE: `simulated:${chainFile()}`,
        QUIPU_CRYPTO_SOL_ADDRESS: SOL_ADDRESS,
        QUIPU_CRYPTO_SOL_NODE: `simulated:${chainFile()}`,
        QUIPU_CRYPTO_LTC_XPUB: ZPUB,
        QUIPU_CRYPTO_DOGE_XPUB: XPUB,
        QUIPU_CRYPTO_DOGE_NODE: `simulated:${chainFile()}`,
        QUIPU_CRYPTO_PRICES: `file:${pricesFile()}`,
        QUIPU_CRYPTO_NOTIFY_SECRET: NOTIFY_SECRET,
        QUIPU_CRYPTO_POLL_SECONDS: '1',
        QUIPU_CRYPTO_OPEN_MAX: '5',
      },
    });
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  const http = () => request(world.quipu.url);
  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const ask = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    http().post(CREATE).set(authorization()).set(headers).send(body);
  const create = async (currency: string): Promise<Invoice> => {
    const { body } = await ask({ amount_usd: 50, currency }).expect(200);
    return body as Invoice;
  };
  const statusOf = async ({ invoice_id: id }: Invoice) => {
    const { body } = await http().get(`${STATUS}/${id}`).set(authorization()).expect(200);
    return body as Readonly<Record<string, unknown>> & { readonly status: string };
  };
  const balance = async (): Promise<number> => {
    const overview = http().get('/api/v1/billing/overview.php').set(authorization());
    const { body } = await overview.expect(200);
    return (body as { readonly balance_usd: number }).balance_usd;
  };
  const change = async (
    act: (chain: Awaited<ReturnType<typeof openSimulatedChain>>) => void,
  ): Promise<void> => {
    const chain = await openSimulatedChain(chainFile(), Date.now);
    act(chain);
    await saveSimulatedChain(chainFile(), chain);
  };
  const outputOf = (invoice: Invoice, units = invoice.crypto_amount_units): SimulatedOutput => ({
    currency: invoice.crypto_currency,
    address: invoice.pay_address,
    reference: invoice.reference,
    units,
  });
  /** Of the wallet, in the order of the events. */
  const indexes = async (type: string): Promise<readonly unknown[]> =>
    (await world.events())
      .filter((event) => event.type === type)
      .map(({ data }) => (data as { readonly index: number }).index);
  const reaches = (invoice: Invoice, status: string) =>
    eventually(async () => (await statusOf(invoice)).status === status);

  it('have an address of their own, and the promised fields', async () => {
    const first = await create('BTC');
    expect(first).toMatchObject({
      success: true,
      invoice_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      order_id: expect.stringMatching(/^CI-[0-9A-F]{12}$/),
      amount_fiat: 50,
      fiat_currency: 'USD',
      crypto_amount: 0.00076924,
      crypto_amount_units: '76924',
      crypto_currency: 'BTC',
      network: 'bitcoin',
      pay_address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      payment_uri:
        'bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu?amount=0.00076924&label=Quipu',
      payment_url: expect.stringMatching(
        /^https:\/\/quipu\.example\/pay\/[0-9a-f-]{36}\.[\w-]{22}$/,
      ),
      qr_code_url: `${first.payment_url}/qr.png`,
      status: 'pending',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const second = await create('BTC');
    expect(second.pay_address).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
  });

  it('are in the list of invoices until they are paid', async () => {
    const invoice = await create('BTC');
    const listed = async () => {
      const list = http().get('/api/v1/billing/invoices.php').set(authorization());
      const { body } = await list.expect(200);
      const { invoices } = body as { readonly invoices: readonly { readonly amount: number }[] };
      return invoices.find(
        (one) => 'payment_url' in one && one.payment_url === invoice.payment_url,
      );
    };
    expect(await listed()).toMatchObject({
      invoice_type: 'deposit',
      amount: 50,
      payment_method: 'BTC',
      status: 'pending',
      reference_id: expect.stringMatching(/^CI-[0-9A-F]{12}$/),
    });
    await change((chain) => {
      chain.pay(outputOf(invoice));
      chain.mine(2);
    });
    await reaches(invoice, 'completed');
    expect(await listed()).toBeUndefined();
  });

  it('are paid through the chain, and credit the account once', async () => {
    const invoice = await create('BTC');
    const before = await balance();
    await change((chain) => chain.pay(outputOf(invoice)));
    await reaches(invoice, 'detected');
    await change((chain) => chain.mine());
    await reaches(invoice, 'confirming');
    await change((chain) => chain.rewind(1));
    await reaches(invoice, 'detected');
    await change((chain) => chain.mine(2));
    await reaches(invoice, 'completed');
    await eventually(async () => (await balance()) === before + 50);
    expect((await indexes('DepositIndexUsed')).at(-1)).toBe(
      (await indexes('DepositIndexAllocated')).at(-1),
    );
    await change((chain) => chain.mine(3));
    expect(await statusOf(invoice)).toMatchObject({
      credited_usd: 50,
      paid_amount: 0.00076924,
      payments: [{ state: 'confirmed', credited_usd: 50, late: false }],
    });
    const deposits = (await world.events()).filter(({ type }) => type === 'FundsDeposited');
    expect(deposits.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({
        method: 'crypto',
        amountMicroUsd: '50000000',
        depositId: expect.stringMatching(/^crypto-bitcoin-[0-9a-f]{64}-0$/),
      }),
    );
    expect(await balance()).toBe(before + 50);
  });

  it('are looked at when a notification comes, which credits nothing itself', async () => {
    const invoice = await create('BTC');
    const before = await balance();
    const notice = { invoice_id: invoice.invoice_id, currency: 'BTC', amount: '0.00076924' };
    const notify = (body: object, secret = NOTIFY_SECRET) => {
      const text = JSON.stringify(body);
      const now = new Date();
      const signature = new Webhook(secret).sign('msg_1', now, text);
      return http()
        .post('/api/v1/billing/crypto_notifications')
        .set({ 'content-type': 'application/json', 'webhook-id': 'msg_1' })
        .set({ 'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)) })
        .set({ 'webhook-signature': signature })
        .send(text);
    };
    const claimed = await notify(notice).expect(200);
    expect(claimed.body).toEqual({ success: true, status: 'pending' });
    await change((chain) => {
      chain.pay(outputOf(invoice));
      chain.mine(2);
    });
    const paid = await notify(notice).expect(200);
    expect(paid.body).toEqual({ success: true, status: 'completed' });
    await notify(notice).expect(200);
    await eventually(async () => (await balance()) === before + 50);
    const other = await notify({ ...notice, amount: '0.00076925' }).expect(409);
    expect(other.body).toMatchObject({ code: 'crypto_notification_mismatch' });
    await notify({ ...notice, currency: 'LTC' }).expect(409);
    await notify({ ...notice, invoice_id: '01890a5d-ac96-774b-8cce-b302099a8057' }).expect(404);
    const forged = await notify(notice, OTHER_SECRET).expect(401);
    expect(forged.body).toMatchObject({ code: 'crypto_notification_invalid' });
    await http().post('/api/v1/billing/crypto_notifications').send(notice).expect(401);
  });

  it('on Solana are found by their reference, and a payment counts for one of them', async () => {
    const [first, second] = [await create('SOL'), await create('SOL')];
    expect(first).toMatchObject({ network: 'solana', pay_address: SOL_ADDRESS });
    expect(first.reference).not.toBe(second.reference);
    await change((chain) => {
      chain.pay(outputOf(first));
      chain.mine(32);
    });
    await reaches(first, 'completed');
    expect((await statusOf(second)).status).toBe('pending');
  });

  it('are the same for a repeated request', async () => {
    const key = { 'idempotency-key': 'one-deposit' };
    const first = await ask({ amount_usd: 20, currency: 'BTC' }, key).expect(200);
    const again = await ask({ amount_usd: 20, currency: 'BTC' }, key).expect(200);
    expect(again.body).toEqual(first.body);
  });

  it('have no price that is old', async () => {
    await setPrices({ DOGE: '0.08' }, new Date(Date.now() - 180_000));
    const { body, headers } = await ask({ amount_usd: 50, currency: 'DOGE' }).expect(503);
    expect(body).toMatchObject({ code: 'crypto_price_unavailable', param: 'currency' });
    expect(headers['retry-after']).toBe('30');
    await setPrices(PRICES);
  });

  it('are limited in number', async () => {
    await create('BTC');
    const { body } = await ask({ amount_usd: 20, currency: 'BTC' }).expect(409);
    expect(body).toMatchObject({ code: 'too_many_crypto_invoices' });
  });

  it('need the settings of their currency, which the error names', async () => {
    const noKey = await ask({ amount_usd: 50, currency: 'ETH' }).expect(503);
    expect(noKey.body).toMatchObject({
      code: 'crypto_not_configured',
      param: 'currency',
      message: expect.stringContaining('QUIPU_CRYPTO_ETH_XPUB'),
    });
    const noNode = await ask({ amount_usd: 50, currency: 'LTC' }).expect(503);
    expect(noNode.body).toMatchObject({
      message: expect.stringContaining('QUIPU_CRYPTO_LTC_NODE'),
    });
  });

  it.each([
    [{ currency: 'BTC' }, 'amount_usd'],
    [{ amount_usd: 0, currency: 'BTC' }, 'amount_usd'],
    [{ amount_usd: -5, currency: 'BTC' }, 'amount_usd'],
    [{ amount_usd: '50', currency: 'BTC' }, 'amount_usd'],
    [{ amount_usd: 50.001, currency: 'BTC' }, 'amount_usd'],
    [{ amount_usd: 50 }, 'currency'],
    [{ amount_usd: 50, currency: 'XMR' }, 'currency'],
    [{ amount_usd: 50, currency: 'BTC', return_url: 'javascript:alert(1)' }, 'return_url'],
    [{ amount_usd: 50, currency: 'BTC', return_url: 'nowhere' }, 'return_url'],
    [{ amount_usd: 50, currency: 'BTC', return_url: 'https://[fe80::1%25lo]/' }, 'return_url'],
  ])('are rejected by field, and use no address: %j', async (body, param) => {
    const before = await indexes('DepositIndexAllocated');
    const { body: answer } = await ask(body).expect(400);
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining(param) });
    expect(await indexes('DepositIndexAllocated')).toEqual(before);
  });

  it.each([4.99, 10_000.01])('are for an amount within the limits: %d', async (amount) => {
    const { body } = await ask({ amount_usd: amount, currency: 'BTC' }).expect(400);
    expect(body).toMatchObject({
      param: 'amount_usd',
      message: 'a crypto invoice is for 5.00 USD to 10000.00 USD',
    });
  });

  it('accept the secret API keys of users only', async () => {
    const renter = { authorization: `Bearer ${world.credentials.renter_key}` };
    await http().post(CREATE).set(renter).send({ amount_usd: 50, currency: 'BTC' }).expect(401);
    await http().post(CREATE).send({ amount_usd: 50, currency: 'BTC' }).expect(401);
  });

  it('are listed, the last one first, with their status', async () => {
    const { body } = await http().get(`${STATUS}?limit=2`).set(authorization()).expect(200);
    const { invoices, ...page } = body as { invoices: (Invoice & { created_at: string })[] };
    expect(invoices).toHaveLength(2);
    expect(page).toMatchObject({ page: 1, total_records: expect.any(Number) });
    const times = invoices.map(({ created_at: at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    for (const invoice of invoices) {
      const { status, credited_usd: credited, amount_fiat: worth } = await statusOf(invoice);
      expect(invoice).toMatchObject({ status, credited_usd: credited, amount_fiat: worth });
    }
    const before = await http().get(`${STATUS}?asOf=1`).set(authorization()).expect(200);
    expect(before.body).toMatchObject({ invoices: [], total_records: 0 });
  });

  describe('have a payment page', () => {
    let invoice: Invoice;
    let page: string;

    beforeAll(async () => {
      const statuses = (await world.events()).filter(({ type }) => type === 'CryptoInvoiceCreated');
      const [{ data }] = statuses as unknown as [{ data: { invoiceId: string } }];
      const found = await http().get(`${STATUS}/${data.invoiceId}`).set(authorization());
      invoice = found.body as Invoice;
      page = new URL(invoice.payment_url).pathname;
    });

    it('with amount, address and status, under a strict policy', async () => {
      const { text, headers } = await http().get(page).expect(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(text).toContain(invoice.pay_address);
      expect(text).toContain('0.00076924 BTC');
      expect(text).not.toMatch(/<script(?! src="\/pay\/assets\/page\.js")/);
      const script = await http().get('/pay/assets/page.js').expect(200);
      expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
      await http().get('/pay/assets/page.css').expect(200);
    });

    it('whose QR code is the payment URI', async () => {
      const { body } = await http().get(`${page}/qr.png`).expect('content-type', 'image/png');
      const { data, width, height } = PNG.sync.read(body as Buffer);
      expect(jsQr(new Uint8ClampedArray(data), width, height)?.data).toBe(invoice.payment_uri);
    });

    it('whose status any payer can ask for', async () => {
      const { body } = await http().get(`${page}/status`).expect(200);
      expect(body).toEqual({
        success: true,
        status: 'pending',
        due_amount: 0.00076924,
        paid_amount: 0,
        currency: 'BTC',
        expires_at: invoice.expires_at,
        seconds_left: expect.any(Number),
      });
    });

    it('that cannot be guessed from the id', async () => {
      await http().get(`/pay/${invoice.invoice_id}`).expect(404);
      await http()
        .get(`/pay/${'x'.repeat(500)}`)
        .expect(404);
      const forged = page.slice(0, -1) + (page.endsWith('A') ? 'B' : 'A');
      const { body } = await http().get(forged).expect(404);
      expect(body).toMatchObject({ success: false, code: 'crypto_invoice_not_found' });
    });
  });
});
