/** The pages of operators in Chromium: the ledger, the log, rigs, prices, users. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatRequest, eventually, MODEL, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { type OpenPages, openPages } from './console-pages.fixture.js';

describe('the pages of operators', () => {
  let console: OpenPages;

  beforeAll(async () => {
    console = await openPages({
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
      catalogOf: (baseUrl) => `${scriptedCatalog(baseUrl)}
meters:
  - { meter: custody_bundles, usd: 0.01, per: 1000 }
  - { meter: custody_byte_hours, usd: 0.10, per: 1000000000000 }
`,
    });
    await console.call('POST', '/v1/chat/completions', chatRequest());
  });

  afterAll(() => console.close());

  it('shows that the ledger balances, and its checkpoint', async () => {
    await console.open('/ledger');
    await console.shows('#conservation.success', 'The ledger balances');
    await console.shows('dd', '$10.00');
    await console.shows('dd', 'none: set QUIPU_AUDIT_WITNESSES');
    await console.expectSound();
  });

  it('leads from a stream to an event, its proof and its causes', async () => {
    const { page } = console;
    await console.open('/events?stream=account-1');
    await console.expectSound();
    await console.picture('events');
    await page.click('tr:has-text("HoldCaptured") td a');
    await console.shows('pre', '"amountMicroUsd": "13"');
    await page.click('text=Check the proofs in this browser');
    await console.shows('#proofs .success', 'The log has signed the checkpoint.');
    await console.expectSound();
    await page.click('dt:has-text("Request") + dd a');
    await console.shows('h1', 'Events of request');
    await console.shows('main li', 'HoldPlaced');
    await console.expectSound();
  });

  it('pages through the events in their order', async () => {
    const { page } = console;
    await console.open('/events');
    const types = page.locator('tbody tr td:first-child');
    expect((await types.allInnerTexts()).map(Number)).toEqual(
      Array.from({ length: await types.count() }, (_, index) => index + 1),
    );
    await page.click('text=Newest events');
    await page.waitForSelector('text=First page');
    await console.shows('tbody', 'HoldCaptured');
  });

  it('shows the rigs, and one with its history', async () => {
    const { page } = console;
    await console.open('/rigs');
    await console.shows('tbody', MODEL);
    await console.expectSound();
    await page.click('td >> text=scripted');
    await console.shows('main', 'Never certified');
    await console.expectSound();
  });

  it('certifies a rig, and has its breaker and its costs', async () => {
    const { page } = console;
    await console.open('/rigs/scripted');
    await console.shows('dd', 'since the gateway asks it');
    await console.shows('tbody', '$0.000013');
    await console.expectSound();
    await page.click('text=Certify');
    await page.click('dialog form.stacked button');
    await console.shows('dialog a', 'The job that measures it');
    await page.click('dialog >> text=Close');
  });

  it('ranks the rigs of a model', async () => {
    const { page } = console;
    await console.open('/routing');
    await console.shows('tbody', 'closed');
    await console.expectSound();
    await page.click(`.pages >> text=${MODEL}`);
    await console.shows('main', 'would be asked');
    await console.shows('dd', '$1.00 in, $2.00 out');
    await console.expectSound();
    await page.click('tbody >> text=scripted');
    await console.shows('h1', 'Rig scripted');
  });

  it('shows the difference of a price list, rejects it, and publishes it', async () => {
    const { page } = console;
    await console.open('/price-proposals');
    await console.shows('tbody', 'the catalog file');
    await console.expectSound();
    const prices = { input_cost_per_token: 2e-6, output_cost_per_token: 4e-6 };
    const list = { 'scripted-1': { litellm_provider: 'acme', ...prices } };
    const propose = async (): Promise<void> => {
      await page.setInputFiles('input[name=file]', {
        name: 'prices.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(list)),
      });
      await page.click('text=Show the difference');
      await console.shows('main section tbody', 'input_usd_per_mtok');
    };
    await propose();
    await console.expectSound();
    await page.click('button >> text=Reject');
    await page.waitForSelector('main section', { state: 'detached' });
    await propose();
    await page.click('button >> text=Accept');
    await page.click('dialog form.stacked button');
    await console.shows('dialog .recorded', 'RateCardPublished');
    await page.click('dialog >> text=Close');
    await console.shows('tbody', 'a proposal: litellm');
    await page.click('text=beside card 1');
    await console.shows('tbody', 'dearer here');
  });

  it('reprices the spend of a period', async () => {
    await console.open('/what-if');
    await console.shows('dd', '$0.000026');
    await console.shows('tbody', 'input_tokens');
    await console.expectSound();
    await console.open('/what-if?card=1');
    await console.shows('main', 'No price of these charges differs');
    await console.expectSound();
  });

  it('compares charges with costs', async () => {
    await console.open('/margin?by=model');
    await console.shows('tbody', '$0.000013');
    await console.expectSound();
  });

  it('draws the contact plan, the route of a bundle and the passes of a satellite', async () => {
    const { page } = console;
    const inHours = (hours: number): string =>
      new Date(Date.now() + hours * 3_600_000).toISOString();
    await console.call('POST', '/api/v1/dtn/contacts', {
      from: 'dtn://quipu/',
      to: 'dtn://moon/',
      starts_at: inHours(1),
      ends_at: inHours(2),
      bits_per_second: 8_000,
    });
    await console.open('/contacts');
    await page.waitForSelector('svg[aria-label="Contacts over time"] rect');
    await console.expectSound();
    await console.call('POST', '/api/v1/dtn/bundle.php', {
      source_eid: 'dtn://quipu/out',
      destination_eid: 'dtn://moon/in',
      payload_hex: '68656c6c6f',
    });
    await console.open('/bundles');
    await page.click('tbody a');
    await console.shows('dd', 'dtn://moon/in');
    await console.shows('tbody', 'accepted');
    await console.expectSound();
    await console.open('/passes');
    await page.waitForSelector('tbody tr');
    const drawn =
      "[...document.querySelectorAll('main img')].filter((one) => one.naturalWidth > 0).length";
    await eventually(async () => (await page.evaluate<number>(drawn)) === 2);
    await console.expectSound();
  });

  it('has two rate cards side by side', async () => {
    await console.open('/prices?version=1&other=1');
    await console.shows('thead', 'Difference');
    await console.shows('tbody', 'a million tokens in');
    await console.expectSound();
  });

  it.each([
    ['/models', MODEL],
    ['/keys', 'bootstrap'],
    ['/sessions', 'Quipu console'],
    ['/users', 'Admin'],
  ])('lists at %s', async (path, text) => {
    await console.open(path);
    await console.shows('tbody', text);
    await console.expectSound();
  });

  it.each([
    ['/webhooks', 'No endpoint receives notifications'],
    ['/deliveries', 'Nothing was sent'],
    ['/budgets', 'No budget limits your spend'],
  ])('says at %s how the first row comes to be', async (path, text) => {
    await console.open(path);
    await console.shows('main', text);
  });
});
