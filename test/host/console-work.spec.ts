/** The pages of long work in Chromium: jobs, batches, workflows, agents, training, packages. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, MODEL } from '../end-to-end/quipu.harness.js';
import { type OpenPages, openPages } from './console-pages.fixture.js';

const DEFINITION = {
  nodes: [
    { name: 'draft', kind: 'chat', parameters: { model: MODEL, prompt: 'Write of knots.' } },
    { name: 'review', kind: 'approval', after: ['draft'] },
    { name: 'pause', kind: 'wait', after: ['review'], parameters: { seconds: 1 } },
  ],
};

describe('the pages of long work', () => {
  let console: OpenPages;

  beforeAll(async () => {
    console = await openPages();
  });

  afterAll(() => console.close());

  it.each([
    ['/jobs', 'No job here'],
    ['/batches', 'No batch yet'],
    ['/workflows', 'No workflow yet'],
    ['/runs', 'No run yet'],
    ['/agents', 'No agent has run'],
    ['/fine-tunings', 'No model was fine-tuned'],
    ['/distillations', 'No student was distilled'],
    ['/quantizations', 'No model was quantized'],
    ['/packages', 'No package was ordered'],
  ])('says at %s how the first row comes to be', async (path, text) => {
    await console.open(path);
    await console.shows('main', text);
  });

  it('draws a workflow as a graph, and its run with the status of each node', async () => {
    const { page } = console;
    const body = { name: 'letters', definition: DEFINITION };
    const { workflow_id: id } = await console.call('POST', '/api/v1/workflows', body);
    await console.open('/workflows');
    await page.click('td >> text=letters');
    await page.waitForSelector('svg[aria-label="3 nodes: draft, review, pause"]');
    expect(await page.locator('svg path').count()).toBe(2);
    await console.expectSound();

    const run = await console.call('POST', '/api/v1/workflows/run', {
      workflow_id: id,
      async: true,
    });
    const isDrafted = async () => {
      const route = `/api/v1/workflows/runs/${String(run['run_id'])}`;
      const { node_results: nodes } = await console.call('GET', route);
      return JSON.stringify(nodes).includes('"succeeded"');
    };
    await eventually(isDrafted);
    await console.open('/runs');
    await page.click('tbody a');
    await console.shows('svg text', 'chat: succeeded');
    await console.shows('svg text', 'approval: running');
    await console.expectSound();
    await page.click('text=Approve review');
    await page.click('dialog form.stacked button');
    await console.shows('svg text', 'approval: succeeded');
  });
});
