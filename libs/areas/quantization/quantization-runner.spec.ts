import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { type JobAttempt } from '#platform/jobs/job-type.js';
import { type FiledModel } from '#platform/own-models/filed-model.js';
import { type OwnModel } from '#platform/own-models/own-model.decider.js';
import { registered } from '#platform/own-models/own-model.fixture.js';
import { type NewOwnModel, type OwnModels } from '#platform/own-models/own-models.js';
import { engineHost } from '#platform/tasks/counting.engine.fake.js';
import { createLocalTasks } from '#platform/tasks/local-tasks.js';
import { type TaskHosting } from '#platform/tasks/tasks.port.js';
import { estimateQuantization } from './quantization.engine.js';
import { LEARNING_RATE } from './quantization-order.js';
import { QuantizationRunner } from './quantization-runner.js';
import { type QuantizationCheckpoint, type QuantizationInput } from './quantization.task.js';
import { type QuantizationTexts } from './quantization-texts.js';

const MODELS = path.resolve(import.meta.dirname, '../../../models');
const DRAFT = path.join(MODELS, 'mini-draft.gguf');
const ACCOUNT = '7';
const never = new AbortController().signal;

const documents = ['What is a hold?', 'How are prices set?', 'Who pays a charge?'].map(
  (question, at) => ({
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: `The answer to question ${at} is in the log, as an event.` },
    ],
    heldOut: at === 2,
  }),
);

describe('the runner of quantizations', () => {
  let folder: string;
  let model: FiledModel;
  let texts: Pick<QuantizationTexts, 'heldOut' | 'learned'>;
  let tasks: TaskHosting;
  let heldOut: string;
  const blobs = new MemoryBlobs();
  const made: { readonly model: NewOwnModel; readonly file: Uint8Array }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-quantization-'));
    tasks = createLocalTasks(engineHost('in-process', 'spec'));
    const sha256 = createHash('sha256')
      .update(await readFile(DRAFT))
      .digest('hex');
    const { contextTokens, maxOutputTokens, price } = registered.data;
    const { rateCardVersion, batchDiscountPercent } = registered.data;
    const terms = { contextTokens, maxOutputTokens, price, rateCardVersion, batchDiscountPercent };
    model = { name: 'quipu/draft', file: DRAFT, sha256, ...terms };
    heldOut = await readFile(path.join(MODELS, 'corpora/quipu-held-out.txt'), 'utf8');
    const learned = documents.map((document) => JSON.stringify(document)).join('\n');
    const named = (content: string) => Promise.resolve({ name: 'spec', content, sha256 });
    texts = { heldOut: () => named(heldOut), learned: () => named(learned) };
  });

  afterAll(async () => {
    await tasks.close();
    await rm(folder, { recursive: true });
  });

  const own = {
    register: (one: NewOwnModel, file: Uint8Array): Promise<OwnModel> => {
      made.push({ model: one, file });
      return Promise.resolve({ ...registered.data, ...one, bytes: file.length });
    },
  };

  const runnerOf = (found: FiledModel = model): QuantizationRunner =>
    new QuantizationRunner(
      tasks,
      blobs,
      { find: () => Promise.resolve(found) },
      texts as QuantizationTexts,
      own as unknown as OwnModels,
      { workFolder: folder },
      { now: () => Date.UTC(2026, 10, 25) },
    );

  const attemptOf = (
    changes: Partial<QuantizationInput> = {},
    checkpoint: QuantizationCheckpoint | null = null,
  ): JobAttempt<QuantizationInput, QuantizationCheckpoint> => {
    const { name, sha256, file: _, price, ...terms } = model;
    return {
      jobId: '0e9e9b5e-6a1c-5d2a-9f5a-1f6f0d1c2b3a',
      accountId: ACCOUNT,
      submittedAt: '2026-11-25T00:00:00.000Z',
      attempt: 1,
      input: {
        model: { name, sha256 },
        slug: 'draft-small',
        method: 'ptq',
        coding: 'Q4_0',
        budgetBytes: null,
        addsOnly: false,
        trainingSteps: null,
        seed: 1,
        terms: { ...terms, price: { ...price } },
        ...changes,
      },
      checkpoint,
      usage: [],
    };
  };

  /** Runs to the end, or until it was asked as often to stop. */
  const run = async (attempt: ReturnType<typeof attemptOf>, reportsMax = Infinity) => {
    const running = runnerOf().run(attempt, never);
    const reports = [];
    for (;;) {
      const next = await running.next();
      if (next.done === true) return { reports, finished: next.value };
      reports.push(next.value);
      if (reports.length < reportsMax) continue;
      await running.return(undefined as never);
      return { reports, finished: null };
    }
  };

  it('registers what it has measured, for the estimated work', async () => {
    const attempt = attemptOf();
    const { finished } = await run(attempt);
    const { productsMax } = await estimateQuantization(DRAFT, attempt.input, null);
    expect(finished?.usage).toEqual([{ meter: 'weight_products', quantity: productsMax }]);
    const { model: one, file } = made.at(-1) ?? {};
    expect(one).toMatchObject({
      slug: 'draft-small',
      origin: { kind: 'quantization', baseModel: 'quipu/draft' },
    });
    expect(
      createHash('sha256')
        .update(file ?? '')
        .digest('hex'),
    ).toBe(one?.sha256);
    expect(finished?.shown).toMatchObject({
      phase: 'finished',
      measured: { sha256: one?.sha256, bytes: file?.length },
    });
  });

  it('makes the same file when it ends twice on its way, and counts no work twice', async () => {
    const order = { method: 'qat', coding: 'BITNET', addsOnly: true, trainingSteps: 6 } as const;
    // A part of the text is read faster; the estimate is of a whole one.
    heldOut = heldOut.slice(0, 2_400);
    const whole = await run(attemptOf(order));
    const recipe = { steps: order.trainingSteps, learningRate: LEARNING_RATE, seed: 1 };
    const { productsMax } = await estimateQuantization(DRAFT, attemptOf(order).input, recipe);
    const [used] = whole.finished?.usage ?? [];
    expect(used?.quantity).toBeGreaterThan(0);
    expect(used?.quantity).toBeLessThanOrEqual(productsMax);

    // In the training, behind its first checkpoint; then among the measurements.
    const first = await run(attemptOf(order), 4);
    const training = first.reports.at(-1)?.checkpoint ?? null;
    expect(training?.training).not.toBeNull();
    const second = await run(attemptOf(order, training), 10);
    const measuring = second.reports.at(-1)?.checkpoint ?? null;
    expect(measuring?.measurements.sensitivities.length).toBeGreaterThan(0);
    const rest = await run(attemptOf(order, measuring));
    expect(rest.finished?.result.sha256).toBe(whole.finished?.result.sha256);
    expect(rest.finished?.usage).toEqual(whole.finished?.usage);
    expect(rest.finished?.result.report).toEqual(whole.finished?.result.report);
  });

  it('fails for good where the model has other weights than at the order', async () => {
    const other = { ...model, sha256: 'ab'.repeat(32) };
    await expect(runnerOf(other).run(attemptOf(), never).next()).rejects.toMatchObject({
      code: 'model_changed',
    });
  });

  it('stops with its signal', async () => {
    const stop = new AbortController();
    const running = runnerOf().run(attemptOf(), stop.signal);
    await running.next();
    stop.abort(new Error('stopped'));
    await expect(
      (async () => {
        while ((await running.next()).done !== true);
      })(),
    ).rejects.toThrow('stopped');
  });
});
