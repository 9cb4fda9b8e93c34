/** The console in Chromium: its pages, its policy, its size, and the session of a user. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { type BrowserContext, type Page } from 'playwright-core';
import { chatRequest, type World } from '../end-to-end/quipu.harness.js';
import { type ConsoleTab, type ConsoleWorld, openConsole, OTHER_HOST } from './console.fixture.js';
import { openRelay } from './cut-relay.js';

const FIRST_LOAD_BYTES_MAX = 100 * 1_024;
/** On a machine that other suites keep busy. */
const FIRST_PAINT_MS_MAX = 2_000;
const FIRST_PAINT_MS = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
/** 9 tokens in at 1 micro-dollar and 2 out at 2, of 10 dollars. */
const BALANCE = '$9.999987';

describe('the console', () => {
  let console: ConsoleWorld;
  let tab: ConsoleTab;
  let world: World;
  let context: BrowserContext;
  let page: Page;
  let faults: string[];
  let secret: string;
  let requestId: string;
  /** The step of the code that was used last: a code is accepted once. */
  let usedAtMs = 0;

  /**
   * Of a step that no earlier code had. The gateway accepts the steps before and after the current
   * one too, so three codes need no wait. A step that is about to end is not used any more.
   */
  const freshCode = (): string => {
    usedAtMs = Math.max(Date.now() - 25_000, usedAtMs + 30_000);
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: usedAtMs });
  };

  beforeAll(async () => {
    console = await openConsole();
    ({ world } = console);
    const { post } = console;
    const { username, password, api_key: key } = world.credentials;
    requestId = (await post('/v1/chat/completions', key, chatRequest())).id;
    const login = await post('/api/v1/auth/login', null, { username, password });
    const token = login.answer['access_token'] ?? '';
    secret = (await post('/api/v1/auth/2fa/enrol', token, { password })).answer['secret'] ?? '';
    await post('/api/v1/auth/2fa/confirm', token, { otp_code: freshCode() });
    tab = await console.openTab();
    ({ context, page, faults } = tab);
  });

  afterAll(() => console.close());

  beforeEach(() => {
    faults.length = 0;
  });

  const open = (path: string) => tab.open(path);
  const shows = (selector: string, text: string | RegExp) => tab.shows(selector, text);
  const violations = () => tab.violations();

  it('loads at most 100 KB before the form to sign in', async () => {
    let loaded = 0;
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => (loaded += encodedDataLength));
    await open('');
    await page.waitForSelector('input[name=username]');
    await cdp.detach();
    expect(loaded).toBeGreaterThan(5_000);
    expect(loaded).toBeLessThan(FIRST_LOAD_BYTES_MAX);
    expect(await page.evaluate(FIRST_PAINT_MS)).toBeLessThan(FIRST_PAINT_MS_MAX);
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('has assets for good, a page that is asked for again, and no inline script', async () => {
    const reply = await fetch(`${world.quipu.url}/console`);
    const html = await reply.text();
    expect(reply.headers.get('cache-control')).toBe('no-cache');
    expect(reply.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    const assets = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)];
    expect(assets).toHaveLength(3);
    for (const [, asset = ''] of assets) {
      const found = await fetch(`${world.quipu.url}${asset}`);
      expect(found.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(asset).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    }
    for (const path of ['none-AbCd1234.js', '..%2Findex.html', 'console.js']) {
      const missing = await fetch(`${world.quipu.url}/console/assets/${path}`);
      expect([path, missing.status]).toEqual([path, 404]);
    }
    await page.evaluate('setTimeout("document.title = \'run\'", 0)').catch(() => undefined);
    await page.waitForTimeout(50);
    expect(await page.title()).not.toBe('run');
  });

  it('takes no password over http from another machine, and says why', async () => {
    const port = new URL(world.quipu.url).port;
    await page.goto(`http://${OTHER_HOST}:${port}/console`);
    await shows('[role=alert]', 'Sign in over https');
    expect(await page.locator('input').count()).toBe(0);
    await open('');
  });

  it('asks for the second factor, and says why a code is wrong', async () => {
    await tab.signIn(world.credentials.username, world.credentials.password);
    await page.fill('input[name=code]', '000000');
    await page.click('button[type=submit]');
    await page.waitForSelector('[role=alert]:not(:empty)');
    expect(await page.innerText('[role=alert]')).toMatch(/code/);
    // The browser logs the status 401 of a wrong code.
    expect(faults.splice(0)).toEqual([expect.stringContaining('401')]);
    await page.fill('input[name=code]', freshCode());
    await page.click('button[type=submit]');
    await page.waitForSelector('#balance');
    expect(faults).toEqual([]);
  });

  it('keeps the session in a cookie that no script reads, and no key', async () => {
    const [cookie, ...others] = await context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({
      name: '__Host-quipu-console',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
      path: '/',
    });
    expect(
      await page.evaluate('document.cookie + localStorage.length + sessionStorage.length'),
    ).toBe('00');
  });

  it('shows the balance after a metered chat, at its position in the log', async () => {
    await open('');
    await shows('#balance', BALANCE);
    expect(await page.innerText('#position')).toMatch(/^[1-9]\d*$/);
    expect(await violations()).toEqual([]);
    await tab.picture('home');
    expect(faults).toEqual([]);
  });

  it('shows a past state of the log', async () => {
    await page.fill('input[name=asOf]', '0');
    await page.press('input[name=asOf]', 'Enter');
    await shows('#balance', '$0.00');
    expect(page.url()).toBe(`${world.quipu.url}/console?asOf=0`);
    expect(await page.innerText('#position')).toBe('0');
    await page.click('text=Now');
    await shows('#balance', BALANCE);
  });

  it('gives the read of the page as a command, and as a file', async () => {
    await page.click('header >> text=Data');
    const url = `${world.quipu.url}/api/v1/billing/overview.php`;
    expect(await page.innerText('dialog .copy pre')).toBe(
      `curl -sS -H "Authorization: Bearer $QUIPU_API_KEY" '${url}'`,
    );
    expect(await page.innerText('dialog > pre')).toContain('"balance_usd": 9.999987');
    const saved = page.waitForEvent('download');
    await page.click('text=Save as JSON');
    expect((await saved).suggestedFilename()).toBe('overview.php.json');
    expect(await violations()).toEqual([]);
    await page.click('dialog >> text=Close');
    expect(faults).toEqual([]);
  });

  it('follows the ledger, also after the connection was broken', async () => {
    const relay = await openRelay(Number(new URL(world.quipu.url).port));
    await page.goto(`${relay.url}/console`);
    await shows('#live', 'Live');
    const { api_key: key } = world.credentials;
    const chat = () => console.post('/v1/chat/completions', key, chatRequest());
    await chat();
    await shows('#balance', '$9.999974');
    relay.cut();
    await shows('#live', 'Connection lost');
    await chat();
    relay.restore();
    await shows('#balance', '$9.999961');
    await shows('#live', 'Live');
    const [head, position] = await Promise.all(
      ['#head', '#position'].map((id) => page.innerText(id)),
    );
    expect(Number(head)).toBeGreaterThanOrEqual(Number(position));
    await open('');
    await relay.close();
    faults.length = 0;
  });

  it('lists what running work holds while it runs', async () => {
    await open('');
    await shows('main', 'No work is running');
    const { promise: mayAnswer, resolve: answerNow } = Promise.withResolvers<undefined>();
    console.waitFor(mayAnswer);
    const { api_key: key } = world.credentials;
    const chat = console.post('/v1/chat/completions', key, chatRequest());
    await shows('main table', 'chat_completion');
    expect(await page.innerText('#active')).toBe('1');
    expect(await violations()).toEqual([]);
    answerNow(undefined);
    const { id } = await chat;
    await shows('main', 'No work is running');
    await shows('#balance', '$9.999948');
    expect(id).not.toBe('');
    expect(faults).toEqual([]);
  });

  it('writes, and shows the event that was recorded', async () => {
    await open('/invoice-details');
    await page.click('text=Save');
    expect(await page.locator('.recorded').count()).toBe(0);
    await page.fill('input[name=name]', 'Acme AG');
    await page.click('text=Save');
    await shows('.recorded', /InvoiceDetailsSet, event [0-9a-f-]{36}, at position \d+/);
    expect(await page.inputValue('input[name=name]')).toBe('Acme AG');
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('asks for the password where it was not entered for long', async () => {
    let answers = 0;
    await page.route('**/invoice_details', async (route) => {
      if (route.request().method() !== 'PUT' || (answers += 1) > 1) return route.continue();
      const json = { success: false, code: 'confirmation_needed', message: 'once more' };
      return route.fulfill({ status: 403, json });
    });
    await page.fill('input[name=name]', 'Acme SE');
    await page.click('text=Save');
    await page.fill('dialog input[name=password]', 'wrong');
    await page.click('text=Confirm');
    await page.waitForSelector('dialog [role=alert]:not(:empty)');
    expect(await violations()).toEqual([]);
    await page.fill('dialog input[name=password]', world.credentials.password);
    await page.click('text=Confirm');
    await page.fill('dialog input[name=code]', freshCode());
    await page.click('text=Confirm');
    await shows('.recorded', 'InvoiceDetailsSet');
    const keys = (await world.events()).filter(({ type }) => type === 'SessionConfirmed');
    expect(keys).toHaveLength(1);
    await page.unroute('**/invoice_details');
    faults.length = 0;
  });

  it('says which fields a failed write has kept', async () => {
    await page.route('**/invoice_details', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.fill('input[name=name]', 'Acme plc');
    await page.click('text=Save');
    await shows(
      'main [role=alert]',
      'Save: The gateway does not answer. It may have been recorded',
    );
    expect(await page.inputValue('input[name=name]')).toBe('Acme plc');
    await page.unroute('**/invoice_details');
    await page.click('text=Save');
    await shows('.recorded', 'InvoiceDetailsSet');
    faults.length = 0;
  });

  it('opens pages by their names', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('invo');
    expect(await violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await shows('h1', 'Invoices and statements');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('hom');
    await page.keyboard.press('Enter');
    await shows('h1', 'Home');
    expect(faults).toEqual([]);
  });

  it('lists the requests, by the filters of its address', async () => {
    await page.click('nav >> text=Requests');
    await page.waitForSelector('tbody tr');
    expect(await page.innerText('tbody')).toContain(requestId);
    expect(await violations()).toEqual([]);
    await page.focus('[role=region]');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/requests/${requestId}`);
    await page.goBack();
    await page.waitForSelector('tbody tr');
    await page.click('header >> text=Data');
    expect(await page.locator('dialog .copy pre').allInnerTexts()).toContain(
      `quipu requests --user ${world.credentials.username}`,
    );
    const saved = page.waitForEvent('download');
    await page.click('text=Save as CSV');
    const csv = await readFile(await (await saved).path(), 'utf8');
    expect(csv).toMatch(new RegExp(`^id,.*\\r\\n(.*\\r\\n)*${requestId},`));
    await page.click('dialog >> text=Close');
    await page.fill('input[name=model]', 'acme/other');
    await page.press('input[name=model]', 'Enter');
    await page.waitForSelector('text=No request here');
    expect(page.url()).toContain('/console/requests?model=acme%2Fother');
    await page.goBack();
    await page.waitForSelector('tbody tr');
    expect(faults).toEqual([]);
  });

  it('checks the inclusion proofs of a request in the browser', async () => {
    await page.click(`td >> text=${requestId}`);
    await page.click('text=Check the proofs in this browser');
    await page.waitForSelector('#proofs .success');
    const lines = await page.locator('#proofs li').allInnerTexts();
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) expect(line).toContain('Included in the tree of');
    expect(lines.join()).toContain('The log has signed the checkpoint.');
    expect(await violations()).toEqual([]);
    await tab.picture('request', '#proofs li:last-child');
    expect(faults).toEqual([]);
  });

  it('shows an event that was changed', async () => {
    const proven = await fetch(`${world.quipu.url}/audit/requests/${requestId}`, {
      headers: { authorization: `Bearer ${world.credentials.api_key}` },
    });
    const answer = (await proven.json()) as { readonly events: { encoding: string }[] };
    for (const event of answer.events) event.encoding = `${event.encoding.slice(0, -4)}AAAA`;
    await page.route('**/audit/requests/*', (route) => route.fulfill({ json: answer }));
    await open(`/requests/${requestId}`);
    await page.click('text=Check the proofs in this browser');
    await page.waitForSelector('#proofs .failure');
    expect(await page.locator('#proofs .success').count()).toBe(0);
    expect(await page.innerText('#proofs li')).toContain('Not in the tree');
    await page.unroute('**/audit/requests/*');
  });

  it('lists deposits and statements', async () => {
    await page.click('nav >> text=Invoices');
    await shows('h1', 'Invoices and statements');
    await page.waitForSelector('tbody tr');
    expect(await page.locator('tbody tr').count()).toBe(2);
    expect(await page.innerText('tbody')).toContain('$0.000052');
    expect(await violations()).toEqual([]);
    await tab.picture('invoices');
    expect(faults).toEqual([]);
  });

  it('adds a statement up, and saves its files', async () => {
    const month = new Date().toISOString().slice(0, 'YYYY-MM'.length);
    await page.click(`td >> text=usage-${month}`);
    await shows('#check', 'the lines sum to the charges');
    expect(await page.locator('tbody tr').count()).toBe(2);
    const saved = page.waitForEvent('download');
    await page.click('text=CSV');
    expect((await saved).suggestedFilename()).toBe(`statement-${month}.csv`);
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('pages through a list that grows', async () => {
    const { api_key: key } = world.credentials;
    const chat = () => console.post('/v1/chat/completions', key, chatRequest());
    await Promise.all(Array.from({ length: 20 }, chat));
    await page.click('nav >> text=Requests');
    await shows('h1', 'Requests');
    await page.waitForSelector('text=Next page');
    expect(await page.locator('tbody tr').count()).toBe(20);
    await chat();
    await page.click('text=Next page');
    await page.waitForSelector('text=First page');
    await page.waitForSelector('tbody tr');
    expect(await page.locator('tbody a').allInnerTexts()).toContain(requestId);
    expect(faults).toEqual([]);
  });

  it('names an address without a page', async () => {
    await open('/nowhere');
    await page.waitForSelector('text=There is no such page');
  });

  it('signs out, after which the cookie is no credential', async () => {
    const cookies = await context.cookies();
    await open('');
    await page.waitForSelector('#balance');
    await page.click('header > button >> text=Sign out');
    await page.waitForSelector('input[name=username]');
    expect(await context.cookies()).toEqual([]);
    await context.addCookies(cookies);
    await open('');
    await page.waitForSelector('input[name=username]');
    expect(faults).toEqual([]);
  });
});
