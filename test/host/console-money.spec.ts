/** The pages of money in Chromium. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatRequest, MODEL } from '../end-to-end/quipu.harness.js';
import { type OpenPages, openPages } from './console-pages.fixture.js';

describe('the pages of money', () => {
  let console: OpenPages;

  beforeAll(async () => {
    console = await openPages();
  }, 60_000);

  afterAll(() => console.close());

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
    await page.click(`td >> text=${MODEL}`);
    await console.shows('h1', 'Requests');
    await page.waitForSelector('tbody tr');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await console.expectSound();
  });
});
