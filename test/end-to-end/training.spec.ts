import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import request from 'supertest';
import { TrainingFolder } from '#engines/training/training.fixture.js';
import { CommandLine, runCommand } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';
import { trainingCatalogOf } from './training-catalog.fixture.js';

const DISTILL = '/api/v1/distill/index.php';
const ENDED = new Set(['completed', 'failed', 'cancelled', 'timed_out']);
const WAIT_MS = 120_000;

interface Entry {
  readonly job_uuid: string;
  readonly status: string;
  readonly model: string | null;
  readonly estimate_error_pct: number | null;
}

interface Progressed {
  readonly details: Readonly<Record<string, unknown>>;
}

describe('training', () => {
  let world: World;
  let folder: string;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    const models = await TrainingFolder.make();
    folder = models.path;
    await models.micro('teacher', 2, { width: 32 });
    await models.micro('student', 1);
    world = await startWorld([], { catalogOf: trainingCatalogOf(folder) });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const as = <Test extends request.Test>(test: Test): Test =>
    test.set('authorization', `Bearer ${world.credentials.api_key}`);

  const order = (changes: object) =>
    as(request(world.quipu.url).post(DISTILL)).send({
      teacher_model: 'acme/teacher',
      student_base_model: 'acme/student',
      distillation_method: 'hybrid_loss',
      steps: 4,
      batch_size: 2,
      ...changes,
    });

  const entries = async (query = ''): Promise<readonly Entry[]> => {
    const list = await as(request(world.quipu.url).get(`${DISTILL}?action=list${query}`));
    expect(list.status).toBe(200);
    return (list.body as { readonly jobs: readonly Entry[] }).jobs;
  };

  const ended = async (jobId: string): Promise<Entry> => {
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const job = (await entries()).find(({ job_uuid: id }) => id === jobId);
      if (job && ENDED.has(job.status)) return job;
      if (Date.now() > until) throw new Error(`the job is ${job?.status ?? 'missing'}`);
      await sleep(100);
    }
  };

  it('makes a model that its account lists, is answered by and deletes', async () => {
    const ordered = await order({ job_name: 'small-one' });
    expect(ordered.body).toMatchObject({
      success: true,
      job_id: 1,
      job_name: 'small-one',
      teacher_model: 'acme/teacher',
      student_base_model: 'acme/student',
      status: 'queued',
      compression_target: expect.stringMatching(/^2\.\d\dx \([\d,]+ to [\d,]+ parameters\)$/),
    });
    expect(ordered.status).toBe(202);
    const job = await ended((ordered.body as Entry).job_uuid);
    expect(job).toMatchObject({
      status: 'completed',
      progress: { phase: 'finished', step: 4, steps: 4, loss: expect.any(Number) },
      held_out_before: { perplexity: expect.any(Number), kl_divergence: expect.any(Number) },
      held_out_after: { perplexity: expect.any(Number), kl_divergence: expect.any(Number) },
      measured_ms: expect.any(Number),
      estimate_error_pct: expect.any(Number),
    });
    const followed = await as(
      request(world.quipu.url).get(`/api/v1/jobs/${(ordered.body as Entry).job_uuid}/events`),
    );
    const steps = followed.text
      .split('\n\n')
      .filter((one) => one.includes('event: progressed'))
      .map((one) => JSON.parse(/^data: (.*)$/m.exec(one)?.[1] ?? '{}') as Progressed);
    expect(steps.at(-1)?.details).toMatchObject({
      step: expect.any(Number),
      loss: expect.any(Number),
      tokens_per_second: expect.any(Number),
      eta_seconds: expect.any(Number),
    });
    const model = job.model ?? '';
    expect(model).toMatch(/^\d+\/small-one$/);
    const listed = await world.openai.models.list();
    expect(listed.data.map(({ id }) => id)).toContain(model);
    const messages = [{ role: 'user' as const, content: 'What is a hold?' }];
    const chat = await world.openai.chat.completions.create({
      model,
      messages,
      max_completion_tokens: 4,
    });
    expect(chat.usage?.prompt_tokens).toBeGreaterThan(0);
    const ada = ['--username', 'ada', '--email', 'ada@example.org', '--role', 'renter'];
    const { api_key: key } = (await quipu.result('user', 'create', ...ada)) as {
      readonly api_key: string;
    };
    const foreigner = new OpenAI({ baseURL: `${world.quipu.url}/v1`, apiKey: key, maxRetries: 0 });
    expect((await foreigner.models.list()).data.map(({ id }) => id)).not.toContain(model);
    for (const refused of [
      foreigner.models.retrieve(model),
      foreigner.models.delete(model),
      foreigner.chat.completions.create({ model, messages }),
    ]) {
      await expect(refused).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    }
    await expect(world.openai.models.delete(model)).resolves.toMatchObject({ deleted: true });
    await expect(
      world.openai.chat.completions.create({ model, messages, max_completion_tokens: 4 }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    const events = await world.events();
    const types = events.map(({ type }) => type);
    expect(types).toContain('OwnModelRegistered');
    expect(types).toContain('OwnModelRemoved');
    const settled = events.find(({ type }) => type === 'JobSettled');
    expect(settled?.data).toMatchObject({ outcome: 'charged' });
  });

  it('refuses what it cannot train, by name', async () => {
    const rejections: readonly (readonly [object, number, string])[] = [
      [{ job_name: 'small-one' }, 409, 'training_name_used'],
      [{ job_name: 'no-teacher', teacher_model: 'acme/none' }, 404, 'training_model_unknown'],
      [{ job_name: 'upstream', teacher_model: 'acme/scripted' }, 422, 'training_model_unsuitable'],
      [{ job_name: 'no-text', training_text: 'corpus:none' }, 404, 'training_text_unknown'],
    ];
    for (const [changes, status, code] of rejections) {
      const refused = await order(changes);
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        status,
        expect.stringContaining(code),
      ]);
    }
    const unknown = await order({ job_name: 'odd', distillation_method: 'magic' });
    expect(unknown.status).toBe(400);
    expect(JSON.stringify(unknown.body)).toContain('distillation_method');
    const badName = await order({ job_name: 'Not Good' });
    expect(badName.status).toBe(400);
  });

  it('lists by status, and lets a job be cancelled and its name stay used', async () => {
    const ordered = await order({
      job_name: 'long-one',
      steps: 10_000,
      distillation_method: 'kl_divergence_logits',
      // It may be its own teacher.
      teacher_model: 'acme/student',
    });
    expect(ordered.body).toMatchObject({ status: 'queued', teacher_model: 'acme/student' });
    const { job_uuid: jobId } = ordered.body as Entry;
    await as(request(world.quipu.url).post(`/api/v1/jobs/${jobId}/cancel`)).send({});
    expect(await ended(jobId)).toMatchObject({ status: 'cancelled', model: null });
    expect(await entries('&status=cancelled')).toMatchObject([{ job_uuid: jobId }]);
    expect(await entries('&status=failed')).toEqual([]);
    expect(await entries('&limit=1')).toHaveLength(1);
    expect((await order({ job_name: 'long-one' })).status).toBe(409);
  });

  const knots = async () => {
    const lines = Array.from({ length: 20 }, (_, at) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: `What is knot ${at}?` },
          { role: 'assistant', content: `Knot ${at} is a number on a cord.` },
        ],
      }),
    );
    const file = await toFile(Buffer.from(lines.join('\n')), 'knots.jsonl');
    return (await world.openai.files.create({ file, purpose: 'fine-tune' })).id;
  };

  const succeeded = async (id: string) => {
    const { jobs } = world.openai.fineTuning;
    let job = await jobs.retrieve(id);
    await eventually(async () => {
      job = await jobs.retrieve(id);
      expect(job.status).not.toBe('failed');
      return job.status === 'succeeded';
    }, WAIT_MS);
    return job;
  };

  it("works with OpenAI's client, from the file to the model", async () => {
    const { openai } = world;
    const created = await openai.fineTuning.jobs.create({
      model: 'acme/student',
      training_file: await knots(),
      suffix: 'knots',
      seed: 3,
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2 } } },
    });
    expect(created).toMatchObject({ object: 'fine_tuning.job', status: 'queued', seed: 3 });
    const job = await succeeded(created.id);
    expect(job.fine_tuned_model).toMatch(/^\d+\/ft-knots-[0-9a-f]{12}$/);
    expect(job.trained_tokens).toBeGreaterThan(0);
    const events = await Array.fromAsync(await openai.fineTuning.jobs.listEvents(created.id));
    expect(events.map(({ message }) => message)).toContain('the model was made');
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const checkpoints = await openai.fineTuning.jobs.checkpoints.list(created.id);
    expect(checkpoints.data).toMatchObject([
      { fine_tuned_model_checkpoint: job.fine_tuned_model, fine_tuning_job_id: created.id },
    ]);
    const jobs = await Array.fromAsync(await openai.fineTuning.jobs.list({ limit: 1 }));
    expect(jobs.map(({ id }) => id)).toEqual([created.id]);
    await expect(openai.fineTuning.jobs.cancel(created.id)).resolves.toMatchObject({
      status: 'succeeded',
    });
    await expect(openai.fineTuning.jobs.retrieve('ftjob-none')).rejects.toMatchObject({
      status: 404,
    });
  });

  it("trains a LoRA of a built-in model with OpenAI's client, and pages its lists", async () => {
    const { openai } = world;
    const { jobs } = openai.fineTuning;
    const file = await knots();
    const create = (parameters: { readonly n_epochs: number; readonly lora_rank: number }) =>
      jobs.create({
        model: 'quipu/draft',
        training_file: file,
        method: { type: 'supervised', supervised: { hyperparameters: parameters } },
      });
    const hyperparameters = { n_epochs: 1, lora_rank: 2 };
    const created = await create(hyperparameters);
    expect(created.hyperparameters).toMatchObject(hyperparameters);
    const job = await succeeded(created.id);
    expect(job.method?.supervised?.hyperparameters).toMatchObject(hyperparameters);
    const answer = await openai.chat.completions.create({
      model: job.fine_tuned_model ?? '',
      messages: [{ role: 'user', content: 'What is knot 3?' }],
      max_completion_tokens: 4,
    });
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(0);

    const newer = await create(hyperparameters);
    await jobs.cancel(newer.id);
    const all = (await jobs.list()).data.map(({ id }) => id);
    expect(all.slice(0, 2)).toEqual([newer.id, created.id]);
    // The client asks for the next page with the id of the last job.
    const paged = await Array.fromAsync(await jobs.list({ limit: 1 }));
    expect(paged.map(({ id }) => id)).toEqual(all);
    const older = await jobs.list({ after: newer.id, limit: 1 });
    expect(older.data.map(({ id }) => id)).toEqual([created.id]);
    await expect(jobs.list({ after: 'ftjob-none' })).rejects.toMatchObject({
      code: 'job_cursor_unknown',
    });
    const events = (await jobs.listEvents(created.id)).data;
    const eventsPaged = await Array.fromAsync(await jobs.listEvents(created.id, { limit: 2 }));
    expect(eventsPaged).toEqual(events);
    await expect(create({ n_epochs: 1, lora_rank: 65 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('lora_rank') as unknown,
    });
  });

  it('is listed, shown and cancelled on the command line', async () => {
    const ordered = await order({ job_name: 'from-afar', steps: 10_000 });
    const { job_uuid: id } = ordered.body as Entry;
    expect(await quipu.result('training', 'list', '--user', 'demo', '--limit', '1')).toMatchObject({
      jobs: [{ id, type: 'distillation', summary: { job_name: 'from-afar' } }],
      next_after: id,
    });
    expect(await quipu.result('training', 'cancel', id)).toMatchObject({ id });
    expect(await ended(id)).toMatchObject({ status: 'cancelled' });
    expect(await quipu.result('training', 'show', id)).toMatchObject({ id, state: 'cancelled' });
    const { environment } = world;
    const words = ['--user', 'demo', '--type', 'fine-tuning', '--state', 'completed'];
    const list = await runCommand(environment, ['training', 'list', ...words]);
    const line = /^(\S+) +ft-draft-\S+ +quipu\/draft +lora +completed +(\d+) of \2 +\d/m;
    const [, lora = ''] = line.exec(list.stdout) ?? [];
    expect(list.stdout).toMatch(/ft-knots-\S+ +acme\/student +supervised +completed/);
    expect(list.stdout).not.toContain('small-one');
    const { stdout } = await runCommand(environment, ['training', 'show', lora]);
    expect(stdout).toMatch(/method lora of rank 2, \d+ steps on file-/);
    expect(stdout).toMatch(/held-out perplexity \d+\.\d{4} before, \d+\.\d{4} after/);
    const early = await quipu.run('training', 'show', randomUUID());
    expect(JSON.parse(early.stderr)).toMatchObject({ success: false, code: 'job_not_found' });
  });
});
