/** The pages of money in Chromium. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatRequest, eventually, MODEL } from '../end-to-end/quipu.harness.js';
import { type OpenPages, openPages } from './console-pages.fixture.js';

const SOL_ADDRESS = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';

describe('the pages of money', () => {
  let console: OpenPages;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-console-'));
    const prices = path.join(folder, 'prices.json');
    const asOf = new Date().toISOString();
    await writeFile(prices, JSON.stringify({ as_of: asOf, prices: { SOL: '160.5' } }));
    console = await openPages({
      environment: {
        QUIPU_CRYPTO_SOL_ADDRESS: SOL_ADDRESS,
        QUIPU_CRYPTO_SOL_NODE: `simulated:${path.join(folder, 'chain.json')}`,
        QUIPU_CRYPTO_PRICES: `file:${prices}`,
      },
    });
  });

  afterAll(async () => {
    await console.close();
    await rm(folder, { recursive: true, force: true });
  });

  interface EstimatedLine {
    readonly meter: string;
    readonly quantity: number;
    readonly usd: number;
    readonly per: number;
  }

  const estimatedLines = async (content: string): Promise<readonly EstimatedLine[]> => {
    const messages = [{ role: 'user', content }];
    const estimate = await console.call('POST', '/api/v1/estimate', { model: MODEL, messages });
    return estimate['lines'] as readonly EstimatedLine[];
  };

  it('says how far a page is behind the log, in events and in seconds', async () => {
    const { page } = console;
    await console.open('');
    await console.shows('#lag', /^0 s$/);
    const position = await page.innerText('#position');
    const user = { username: 'late', email: 'late@example.org', role: 'renter' };
    await console.call('POST', '/api/v1/users', { ...user, password: 'correct horse battery' });
    await console.shows('#lag', /^[1-9]\d* s$/);
    expect(await page.innerText('#position')).toBe(position);
    expect(Number(await page.innerText('#head'))).toBeGreaterThan(Number(position));
    await console.open('/nowhere');
    await console.shows('#lag', '–');
    await console.open('');
    await console.shows('#lag', /^0 s$/);
    await console.expectSound();
  });

  it('says how spend begins', async () => {
    await console.open('/spend');
    await console.shows('main', 'No charge in these days');
    await console.expectSound();
  });

  it('pivots spend, and leads to the requests under a figure', async () => {
    await console.call('POST', '/v1/chat/completions', chatRequest());
    await console.open('/spend?rows=model&columns=class');
    await console.shows('tbody', '$0.000013');
    const { page } = console;
    expect(await page.locator('thead').innerText()).toMatch(/input_tokens\s+output_tokens/);
    await console.shows('dd', '0.0 %');
    await console.expectSound();
    await console.picture('spend');
    await page.click(`td >> text=${MODEL}`);
    await console.shows('h1', 'Requests');
    await page.waitForSelector('tbody tr');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await console.expectSound();
  });

  it('estimates a chat, streams it, and shows its charge', async () => {
    const { page } = console;
    await console.open('/playground');
    await page.selectOption('select[name=model]', MODEL);
    await page.fill('textarea', 'Tell me of knots.');
    await page.click('text=Estimate');
    await console.shows('dt', 'Costs at most');
    await console.shows('dd', 'yes');
    await console.expectSound();
    await page.click('main button[type=submit]');
    await console.shows('#answer', 'Two knots.');
    await console.shows('main .success', 'Charged $0.000013');
    await console.expectSound();
    await console.picture('playground', 'main .success');
    await page.click('text=Save as workflow');
    await page.fill('dialog[open] input[name=name]', 'knots');
    await page.click('dialog[open] form.stacked button');
    await page.click('dialog[open] a >> text=knots');
    await console.shows('tbody', 'chat');
    await console.expectSound();
  });

  it('shows the cost of a chat by its estimate until the charge is read', async () => {
    const { page } = console;
    const { promise: mayAnswer, resolve: answerNow } = Promise.withResolvers<undefined>();
    await page.route('**/api/v1/requests/*', async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await console.open('/playground');
    await page.selectOption('select[name=model]', MODEL);
    await page.fill('textarea', 'Tell me of knots.');
    await page.click('main button[type=submit]');
    await console.shows('#answer', 'Two knots.');
    await console.shows('dt', 'Costs at most');
    await console.shows('[role=status]', 'Ended, 2 pieces');
    const lines = await estimatedLines('Tell me of knots.');
    const micro = lines.map(({ meter, quantity, usd, per }) => {
      const tokens = meter === 'output_tokens' ? 2 : quantity;
      return Math.round((tokens * usd * 1e6) / per);
    });
    const cost = micro.reduce((sum, one) => sum + one, 0) / 1e6;
    await console.shows('#cost', `Estimate so far: $${cost.toFixed(6)} by rate card 1`);
    await console.expectSound();
    answerNow(undefined);
    await console.shows('main .success', 'Charged $0.000013');
    expect(await page.locator('#cost').count()).toBe(0);
    await page.unroute('**/api/v1/requests/*');
  });

  it('does not send a chat that would not run', async () => {
    const { page } = console;
    await page.route('**/api/v1/estimate', async (route) => {
      const answer = await route.fetch();
      const estimate = (await answer.json()) as object;
      const rejections = [{ code: 'insufficient_balance', message: 'the balance is 0 USD' }];
      await route.fulfill({ json: { ...estimate, would_run: false, rejections } });
    });
    let chats = 0;
    await page.route('**/v1/chat/completions', (route) => {
      chats += 1;
      return route.abort();
    });
    await page.click('main button[type=submit]');
    await console.shows('dd', 'the balance is 0 USD');
    expect(await page.locator('#answer').count()).toBe(0);
    expect(chats).toBe(0);
    await page.unroute('**/v1/chat/completions');
    await page.unroute('**/api/v1/estimate');
  });

  it('sets a budget, and shows the share of it that is spent', async () => {
    const { page } = console;
    await console.open('/budgets');
    await page.click('text=Set the budget of the account');
    await page.fill('input[name=month]', '0.0001');
    await page.click('dialog form.stacked button');
    await console.shows('dialog .recorded', 'BudgetSet');
    await page.click('dialog >> text=Close');
    await console.shows('tbody', '$0.0001');
    await console.shows('tbody', '80 %');
    await console.expectSound();
  });

  it('lists a request that the budget rejects, with the facts of the decision', async () => {
    const { page, world } = console;
    await console.open('/rejections');
    await console.shows('main', 'No rejected request is remembered');
    const reply = await fetch(`${world.quipu.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.credentials.api_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(chatRequest({ max_tokens: 100 })),
    });
    expect(reply.status).toBe(402);
    await eventually(async () => {
      const { rejections } = await console.call('GET', '/api/v1/rejections');
      return Array.isArray(rejections) && rejections.length === 1;
    });
    await console.open('/requests');
    await page.click('text=Requests that the ledger rejected');
    await console.shows('tbody', 'budget_exceeded');
    await console.expectSound();
    await page.click('td:nth-child(2) a');
    await console.shows('dd', 'budget_exceeded');
    await console.shows('tbody', 'limit_micro_usd');
    await console.expectSound();
    await page.click('text=Data');
    await console.shows('dialog pre', 'quipu explain');
  });

  it('issues a key that is shown once, and revokes it', async () => {
    const { page } = console;
    await console.open('/keys');
    await page.click('text=Issue a key');
    await page.fill('input[name=name]', 'nightly');
    await page.click('dialog form.stacked button');
    await console.shows('dialog pre', 'sk-svc-');
    await page.click('dialog >> text=Close');
    await page.click('text=Revoke nightly');
    await page.click('dialog[open] form.stacked button');
    await page.waitForSelector('tbody:not(:has-text("nightly"))');
  });

  it('creates a team, gives it money, invites a member, and closes it', async () => {
    const { page } = console;
    const send = async (recorded: string): Promise<void> => {
      await page.click('dialog[open] form.stacked button');
      await console.shows('dialog[open] .recorded', recorded);
      await page.click('dialog[open] form[method=dialog] button');
    };
    await console.open('/teams');
    await console.shows('main', 'No team is below your account');
    await page.click('text=Create a team');
    await page.fill('input[name=name]', 'search');
    await send('TeamCreated');
    await console.shows('tbody', 'search');
    await console.expectSound();
    await page.click('tbody >> text=search');
    await console.shows('h2', 'search');
    await page.click('text=Give money');
    await page.fill('dialog[open] input[name=usd]', '0.01');
    await send('AllotmentSent');
    await console.shows('dd', '$0.01');
    await page.click('text=Invite a member');
    await page.selectOption('dialog[open] select', 'developer');
    await page.click('dialog[open] form.stacked button');
    await console.shows('dialog[open] pre', 'svc_inv_');
    await page.click('dialog[open] form[method=dialog] button');
    await console.shows('tbody', 'developer');
    await console.expectSound();
    await page.click('text=Close the team');
    await send('AccountClosed');
    await console.shows('main', 'No invitation is open');
    await console.open('/teams');
    await console.shows('main', 'No team is below your account');
    await console.open('/teams?closed=true');
    await console.shows('tbody', 'search');
    await console.expectSound();
  });

  it('shows the fields of a crypto payment, with its QR code', async () => {
    const order = { amount_usd: 10, currency: 'SOL' };
    const invoice = await console.call('POST', '/api/v1/billing/create_crypto_invoice.php', order);
    await console.open('/payments');
    await console.shows('main', 'A payment is awaited');
    await console.expectSound();
    await console.page.click(`tbody >> text=${String(invoice['invoice_id'])}`);
    await console.shows('main', 'The payment is awaited');
    await console.shows('dd', SOL_ADDRESS);
    const width = 'document.querySelector("main img").naturalWidth';
    await eventually(async () => (await console.page.evaluate<number>(width)) > 0);
    await console.expectSound();
  });
});
