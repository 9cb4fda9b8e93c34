import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine, runCommand } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const ADDRESS = '/api/v1/quantize';
const DRAFT = path.resolve(import.meta.dirname, '../../models/mini-draft.gguf');
const MESSAGES = [{ role: 'user' as const, content: 'What is a hold?' }];

const catalogOf = (baseUrl: string) => `
rigs:
  - { name: built-in, kind: embedded }
  - { name: upstream, kind: openai, base_url: ${baseUrl} }
models:
  - { id: quipu/draft, owned_by: quipu, rigs: [built-in], context: 1024, max_output: 64,
      file: ${DRAFT}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/far, owned_by: acme, rigs: [upstream], context: 1024, max_output: 64,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
meters:
  - { meter: weight_products, usd: 0.01, per: 1000000000 }
`;

interface Job {
  readonly job_uuid: string;
  readonly status: string;
  readonly method: string;
  readonly quantized_model: string;
  readonly original_vram_gb: number | null;
  readonly quantized_vram_gb: number | null;
  readonly bandwidth_reduction_pct: number | null;
  readonly energy_efficiency_gain_pct: number | null;
  readonly baseline_perplexity: number | null;
  readonly quantized_perplexity: number | null;
  readonly perplexity_delta: number | null;
  readonly evaluation_text: { readonly sha256: string; readonly tokens: number | null };
  readonly layer_losses: readonly { readonly divergence: number }[] | null;
  readonly energy_model: string;
  readonly estimated_weight_products: number;
  readonly measured_weight_products: number;
  readonly estimate_error_pct: number | null;
  readonly serving: { readonly file_sha256: string } | null;
}

describe('quantizations', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf, environment: { QUIPU_QUANTIZE_WAIT_SECONDS: '0' } });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(() => world.close());

  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const order = (body: object) =>
    request(world.quipu.url)
      .post(`${ADDRESS}/bitnet.php`)
      .set(authorization())
      .send({ model_name: 'quipu/draft', weight_bits: 4, ...body });
  const get = async (route: string, status = 200): Promise<unknown> => {
    const sent = request(world.quipu.url).get(route).set(authorization());
    return (await sent.expect(status)).body;
  };
  const completed = async (body: object): Promise<Job> => {
    const { job_uuid: id } = (await order(body).expect(202)).body as Job;
    let job = {} as Job;
    await eventually(async () => {
      job = (await get(`${ADDRESS}/jobs/${id}`)) as Job;
      return ['completed', 'failed'].includes(job.status);
    });
    return job;
  };

  let rounding: Promise<Job> | undefined;
  const roundedJob = (): Promise<Job> =>
    (rounding ??= completed({ weight_bits: 1.58, quantized_name: 'draft-bitnet' }));

  it('answers with the job to follow, and with no figure before it has measured any', async () => {
    const job = (await order({ quantized_name: 'draft-q4' }).expect(202)).body as Job;
    expect(job).toMatchObject({
      success: true,
      model_name: 'quipu/draft',
      quantized_model: expect.stringMatching(/^\d+\/draft-q4$/) as unknown,
      original_vram_gb: null,
      quantized_perplexity: null,
      layer_losses: null,
      serving: null,
      zero_multiplication_mode: 0,
      measured_weight_products: 0,
      estimate_error_pct: null,
    });
    expect(job.status).toBe('queued');
    await request(world.quipu.url)
      .post(`/api/v1/jobs/${job.job_uuid}/cancel`)
      .set(authorization())
      .expect(200);
    await eventually(async () => {
      const { status } = (await get(`${ADDRESS}/jobs/${job.job_uuid}`)) as Job;
      return status === 'cancelled';
    });
  });

  it('makes a model that its account lists, calls, pays for and deletes', async () => {
    const job = await roundedJob();
    expect(job).toMatchObject({ status: 'completed', zero_multiplication_mode: 1 });
    expect(job.original_vram_gb).toBeCloseTo(364_928 * 4e-9, 12);
    expect(job.quantized_vram_gb).toBeLessThan(job.original_vram_gb ?? 0);
    expect(job.energy_efficiency_gain_pct).toBeGreaterThan(0);
    expect(job.energy_model).toMatch(/^modelled, not measured: /);
    const { baseline_perplexity: before, quantized_perplexity: after } = job;
    expect(job.perplexity_delta).toBeCloseTo((after ?? 0) - (before ?? 0), 9);
    expect(job.perplexity_delta).toBeGreaterThan(1);
    expect(job.evaluation_text.tokens).toBeGreaterThan(1_000);
    expect(job.layer_losses).toHaveLength(7);
    const losses = job.layer_losses?.map(({ divergence }) => divergence) ?? [];
    expect(losses).toEqual(losses.toSorted((one, other) => other - one));
    const { estimated_weight_products: estimated, measured_weight_products: products } = job;
    expect(products).toBeGreaterThan(0);
    expect(job.estimate_error_pct).toBeCloseTo((100 * (estimated - products)) / products, 1);
    expect(job.serving?.file_sha256).toMatch(/^[0-9a-f]{64}$/);

    const model = job.quantized_model;
    const { data } = (await get('/v1/models')) as { data: readonly { id: string }[] };
    expect(data.map(({ id }) => id)).toContain(model);
    const answer = await world.openai.chat.completions.create({
      model,
      messages: MESSAGES,
      max_completion_tokens: 8,
    });
    expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
    const { tensors } = (await get(`${ADDRESS}/jobs/${job.job_uuid}/tensors`)) as {
      tensors: readonly { bytes: number }[];
    };
    const bytes = tensors.reduce((sum, tensor) => sum + tensor.bytes, 0);
    expect(bytes / 1e9).toBeCloseTo(job.quantized_vram_gb ?? 0, 12);

    await order({ quantized_name: 'draft-bitnet' }).expect(409);
    await request(world.quipu.url).delete(`/v1/models/${model}`).set(authorization()).expect(200);
    await get(`/v1/models/${model}`, 404);
    const captures = (await world.events()).filter(({ type }) => type === 'HoldCaptured');
    const meters = captures.map(({ data }) => JSON.stringify(data)).join();
    expect(meters).toContain(`"quantity":${products}`);
    expect(meters).toContain('weight_products');
    // The chat is charged as one of the base.
    expect(meters).toMatch(/"model":"\d+\/draft-bitnet"/);
    expect(meters).toContain('output_tokens');
  });

  it('trains a model to be ternary, and loses less than by rounding it', async () => {
    const trained = { weight_bits: 1.58, method: 'qat', qat_steps: 8, seed: 7 };
    const job = await completed({ ...trained, quantized_name: 'draft-trained' });
    expect(job).toMatchObject({ status: 'completed', method: 'qat', zero_multiplication_mode: 1 });
    const rounded = await roundedJob();
    expect(rounded.method).toBe('ptq');
    expect(rounded.baseline_perplexity).toBe(job.baseline_perplexity);
    expect(job.quantized_vram_gb).toBe(rounded.quantized_vram_gb);
    expect(job.quantized_perplexity).toBeLessThan((rounded.quantized_perplexity ?? 0) / 2);
    const answer = await world.openai.chat.completions.create({
      model: job.quantized_model,
      messages: MESSAGES,
      max_completion_tokens: 8,
    });
    expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
    // The steps of the training are charged beside the measurements.
    const chargeOf = async (id: string): Promise<number> => {
      const { job: settled } = (await get(`/api/v1/jobs/${id}`)) as {
        readonly job: { readonly charge: { readonly amount_micro_usd: string } };
      };
      return Number(settled.charge.amount_micro_usd);
    };
    expect(await chargeOf(job.job_uuid)).toBeGreaterThan(await chargeOf(rounded.job_uuid));
  });

  it('keeps a mixed model within its budget', async () => {
    const job = await completed({ memory_budget_mb: 0.4 });
    expect(job.status).toBe('completed');
    expect(job.quantized_vram_gb).toBeLessThanOrEqual(0.000_4);
    const { quantizations } = (await get(`${ADDRESS}/jobs?limit=1&status=completed`)) as {
      quantizations: readonly Job[];
    };
    expect(quantizations).toEqual([job]);
    const words = ['quantization', 'list', '--user', 'demo', '--limit', '1'];
    expect(await quipu.result(...words)).toMatchObject({ jobs: [{ id: job.job_uuid }] });
    const { stdout } = await runCommand(world.environment, words);
    expect(stdout).toMatch(/quipu\/draft +ptq +4 +completed +\d+\.\d\d to \d+\.\d\d /);
    const { job_uuid: other } = (await order({ weight_bits: 8 }).expect(202)).body as Job;
    const wrong = await quipu.run('training', 'cancel', other);
    expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'training_not_found' });
  });

  it.each([
    [{ weight_bits: 3 }, 400, /weight_bits: expected one of 1.58, 4, 5, 8, received 3/],
    [{ activation_bits: 4 }, 400, /activation_bits/],
    [{ zero_multiplication_mode: 1 }, 400, /zero_multiplication_mode: expected 0, received 1/],
    [{ weight_format: 'Q8_0' }, 400, /weight_format: expected Q4_0 or Q4_1, received Q8_0/],
    [{ method: 'qat' }, 400, /method: expected ptq, received qat/],
    [{ qat_steps: 4 }, 400, /qat_steps: expected none/],
    [{ quantized_name: 'No Name' }, 400, /quantized_name/],
    [{ memory_budget_mb: 0.1 }, 422, /need \d+ bytes at least/],
    [{ model_name: 'acme/none' }, 404, /there is no model acme\/none/],
    [{ model_name: '999/other' }, 404, /there is no model/],
    [{ model_name: 'acme/far' }, 422, /no chat model with weights here/],
  ])('rejects %j with %i', async (body, status, message) => {
    const reply = await order(body).expect(status);
    expect(JSON.stringify(reply.body)).toMatch(message);
  });
});
