/** Trainings in Chromium: their loss while they run, and two of their models side by side. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TrainingFolder } from '#engines/training/training.fixture.js';
import { eventually } from '../end-to-end/quipu.harness.js';
import { trainingCatalogOf } from '../end-to-end/training-catalog.fixture.js';
import { type OpenPages, openPages } from './console-pages.fixture.js';

const LONG = 10_000;

describe('the pages of trainings', () => {
  let console: OpenPages;
  let folder: string;

  beforeAll(async () => {
    const models = await TrainingFolder.make();
    folder = models.path;
    await models.micro('teacher', 2, { width: 32 });
    await models.micro('student', 1);
    console = await openPages({ catalogOf: trainingCatalogOf(folder) });
  });

  afterAll(async () => {
    await console.close();
    await rm(folder, { recursive: true });
  });

  const order = async (name: string, steps: number): Promise<string> => {
    const { job_uuid: id } = await console.call('POST', '/api/v1/distill/index.php', {
      job_name: name,
      teacher_model: 'acme/teacher',
      student_base_model: 'acme/student',
      distillation_method: 'hybrid_loss',
      batch_size: 2,
      steps,
    });
    return String(id);
  };

  const losses = () => console.page.locator('details table tbody tr').count();

  it('draws the loss of a job while it runs, and says when it has ended', async () => {
    const { page } = console;
    const id = await order('long-one', LONG);
    await console.open(`/jobs/${id}`);
    await console.shows('#losses', 'The curve is live.');
    await page.waitForSelector('figure canvas');
    const before = await losses();
    await eventually(async () => (await losses()) > before);
    await console.expectSound();
    await console.call('POST', `/api/v1/jobs/${id}/cancel`, {});
    await console.shows('#losses', 'The training has ended.');
    // The page reads the job again after its events.
    await console.shows('dd', 'cancelled');
    await console.expectSound();
  });

  it('compares the curves and the figures of two models', async () => {
    const { page } = console;
    await console.open('/model-comparison');
    await console.shows('main', 'Two models are needed');
    const ids = [await order('four-steps', 4), await order('six-steps', 6)];
    const areMade = async () => {
      const route = '/api/v1/jobs?type=distillation&state=completed';
      const { jobs } = await console.call('GET', route);
      return (jobs as readonly { readonly id: string }[]).length === ids.length;
    };
    await eventually(areMade);
    await console.open('/model-comparison');
    const names = await page.locator('select[name=one] option').allInnerTexts();
    const [any, four = '', six = ''] = names;
    expect(any).toBe('any');
    expect([four, six].map((name) => name.replace(/^\d+\//, ''))).toEqual([
      'four-steps',
      'six-steps',
    ]);
    await page.selectOption('select[name=one]', four);
    await page.selectOption('select[name=other]', six);
    await page.click('main button[type=submit]');
    await page.waitForSelector('figure canvas');
    expect(await page.locator('.legend li').allInnerTexts()).toEqual([four, six]);
    const row = page.locator('tr', { has: page.locator('td', { hasText: /^steps$/ }) });
    expect(await row.locator('td').allInnerTexts()).toEqual(['steps', '4', '6', '-2']);
    await console.shows('td', 'held out: after: perplexity');
    await console.expectSound();
  });
});
