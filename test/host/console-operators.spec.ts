/** The pages of operators in Chromium: the ledger, the log, rigs, prices, users. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatRequest, MODEL } from '../end-to-end/quipu.harness.js';
import { type OpenPages, openPages } from './console-pages.fixture.js';

describe('the pages of operators', () => {
  let console: OpenPages;

  beforeAll(async () => {
    console = await openPages({
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
    });
    await console.call('POST', '/v1/chat/completions', chatRequest());
  }, 60_000);

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

  it('compares charges with costs', async () => {
    await console.open('/margin?by=model');
    await console.shows('tbody', '$0.000013');
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
