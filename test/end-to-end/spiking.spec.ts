import { randomUUID } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { eventually, eventsOf, startWorld, type World } from './quipu.harness.js';
import {
  BATCHES,
  catalogOf,
  FOUR_AXES,
  INFER,
  PROMPT,
  REJECTIONS,
  SLUG,
  type Telemetry,
} from './spiking.fixture.js';

const MODELS = path.resolve(import.meta.dirname, '../../models/spiking');
interface ListedNetwork {
  readonly slug: string;
  readonly routing_mode: string;
  readonly example_input: unknown;
  readonly native_head: { readonly classes: readonly string[] };
}

interface Answer {
  readonly request_id: string;
  readonly weights_sha256: string;
  readonly spiking_telemetry: Telemetry;
  readonly esg_energy_telemetry: Readonly<Record<string, unknown>>;
  readonly spike_raster_ascii: string;
  readonly classification: { readonly top_class: string };
}

describe('spiking networks', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf });
    // Networks are found when the first caller asks.
    await cp(MODELS, path.join(world.home, 'models', 'spiking'), { recursive: true });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '1000', '--reason', 'spec');
  });

  afterAll(() => world.close());

  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const post = (url: string) => request(world.quipu.url).post(url).set(authorization());
  const get = (url: string) => request(world.quipu.url).get(url).set(authorization());
  const infer = async (body: object): Promise<Answer> =>
    (await post(INFER).send(body).expect(200)).body as Answer;
  const priceOf = ({ total_synaptic_spikes: events, macs }: Telemetry) => 2 * events + 3 * macs;

  it('are listed with their score and an example that the network classifies', async () => {
    const { body } = await get('/api/v1/snn/models').expect(200);
    const { models } = body as { readonly models: readonly Record<string, unknown>[] };
    const card = models.find(({ slug }) => slug === SLUG);
    const written = JSON.parse(
      await readFile(path.join(MODELS, 'hybrid-cnn', 'card.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect(card).toMatchObject({
      display_name: 'Hybrid CNN-SNN',
      routing_mode: 'hybrid_cnn',
      parameters: written['parameters'],
      weights_sha256: written['weightsSha256'],
      input_shape: written['inputShape'],
      domains: written['domains'],
    });
    const answer = await infer({ model: SLUG, input_data: card?.['example_input'] });
    const { classes } = card?.['native_head'] as { readonly classes: readonly string[] };
    expect(classes).toContain(answer.classification.top_class);
  });

  it('classify their own example within what was held, each by its mode', async () => {
    const { body } = await get('/api/v1/snn/models').expect(200);
    const { models } = body as { readonly models: readonly ListedNetwork[] };
    expect(models.length).toBeGreaterThan(0);
    for (const { slug, routing_mode, example_input: input_data, native_head } of models) {
      const asked = { model: slug, routing_mode, input_data };
      const reply = await post(INFER).send(asked).expect(200);
      const { classification } = reply.body as Answer;
      expect(native_head.classes).toContain(classification.top_class);
      const events = eventsOf(await world.events(), reply.headers['x-request-id'] as string);
      expect(events[1]).toMatchObject({ type: 'HoldCaptured', data: { model: slug, excess: [] } });
    }
  });

  it('continue a session of their caller', async () => {
    const asked = { model: SLUG, input_data: PROMPT, session_id: randomUUID() };
    expect(await infer(asked)).toMatchObject({ session_runs: 0 });
    expect(await infer(asked)).toMatchObject({ session_runs: 1 });
    expect(await infer({ ...asked, session_id: null })).toMatchObject({ session_runs: 0 });
  });

  it('act, with a distribution over actions and an expected return', async () => {
    const asked = { routing_mode: 'hybrid_rl', input_data: [0, 0, 0.1, 0.5] };
    const { body } = await post(INFER).send(asked).expect(200);
    const { policy, completion } = body as {
      readonly policy: { readonly actions: readonly object[]; readonly value: number };
      readonly completion: string;
    };
    expect(policy.actions).toEqual([
      { action: 'push-left', probability: expect.any(Number) },
      { action: 'push-right', probability: expect.any(Number) },
    ]);
    expect(completion).toContain(`return of ${policy.value.toFixed(1)}`);
    expect(await infer({ ...asked, input_data: PROMPT })).toMatchObject({ policy: null });
    const { body: listed } = await get('/api/v1/snn/models').expect(200);
    const { models } = listed as { readonly models: readonly Record<string, unknown>[] };
    expect(models.find(({ routing_mode: mode }) => mode === 'hybrid_rl')).toMatchObject({
      accuracy: null,
      mean_return: expect.any(Number),
      native_head: { accuracy: null, returns: { maximum: 500, episodes: 100 } },
    });
    await post(INFER)
      .send({ ...asked, input_data: [0, 0, 0.1] })
      .expect(400);
  });

  it('answer with the promised fields, and draw what they counted', async () => {
    const answer = await infer({
      model: SLUG,
      input_data: PROMPT,
      timesteps: 4,
      return_raster: true,
    });
    expect(answer).toMatchObject({
      status: 'success',
      model: 'Hybrid CNN-SNN',
      slug: SLUG,
      architecture: expect.any(String),
      routing_mode: 'hybrid_cnn',
      neuron_model: 'LIFNode',
      timesteps: 4,
      classification: {
        top_class: expect.any(String),
        confidence: expect.any(Number),
        domain: expect.any(String),
      },
      spiking_telemetry: {
        firing_rate: expect.any(Number),
        activation_sparsity_pct: expect.any(Number),
        total_synaptic_spikes: expect.any(Number),
        quiescent_neurons: expect.any(Number),
        latency_ms: expect.any(Number),
      },
      hybrid_telemetry: { front_end: expect.any(String), back_end: expect.any(String) },
      esg_energy_telemetry: {
        energy_savings_ratio: expect.stringMatching(/^\d+\.\d\dx$/),
        energy_reduction_pct: expect.any(Number),
        joules_saved: expect.any(Number),
        scope3_carbon_offset_gco2e: expect.any(Number),
        compliance_certification: 'none (modelled estimate)',
        is_modelled: true,
      },
      completion: expect.stringContaining(SLUG),
    });
    const lines = answer.spike_raster_ascii.split('\n');
    expect(lines.every((line) => /^[|.]{4}$/.test(line))).toBe(true);
    const drawn = answer.spike_raster_ascii.split('|').length - 1;
    expect(drawn).toBeGreaterThan(0);
    expect(drawn).toBeLessThanOrEqual(answer.spiking_telemetry.spikes_emitted);
    expect(await infer({ model: SLUG, input_data: PROMPT })).not.toHaveProperty(
      'spike_raster_ascii',
    );
  });

  it('charge what was counted, with the evidence for it', async () => {
    const reply = await post(INFER).send({ routing_mode: 'hybrid_cnn', input_data: PROMPT });
    const { spiking_telemetry: counted } = reply.body as Answer;
    expect(Number(reply.headers['x-quipu-cost-usd'])).toBeCloseTo(priceOf(counted) / 1e6, 9);
    const events = eventsOf(await world.events(), reply.headers['x-request-id'] as string);
    expect(events.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
    expect(events[1]?.data).toMatchObject({
      purpose: 'spiking_run',
      amountMicroUsd: String(priceOf(counted)),
      model: SLUG,
      evidence: {
        slug: SLUG,
        weightsSha256: expect.stringMatching(/^[\da-f]{64}$/),
        meterVersion: 2,
        counts: { macs: counted.macs, synapticEvents: counted.total_synaptic_spikes },
        inputHash: expect.stringMatching(/^[\da-f]{64}$/),
      },
    });
    expect(JSON.stringify(events[1]?.data)).not.toContain('sorts');
  });

  it('have their energy recomputed from the log', async () => {
    const answer = await infer({ model: SLUG, input_data: PROMPT });
    const { joules_saved, energy_savings_ratio, joules_network } = answer.esg_energy_telemetry;
    expect(await quipu.result('energy', 'recompute', '--request', answer.request_id)).toMatchObject(
      {
        slug: SLUG,
        runs: 1,
        energy: { joules_saved, energy_savings_ratio, joules_network },
      },
    );
    const { exitCode, stderr } = await quipu.run('energy', 'recompute', '--request', randomUUID());
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'request_not_found' });
  });

  it('read forms of both kinds', async () => {
    const fields = {
      model: SLUG,
      input_data: '[0.5, 0.25, 1]',
      timesteps: '2',
      return_raster: '1',
    };
    const { body: encoded } = await post(INFER).type('form').send(fields).expect(200);
    expect(encoded).toMatchObject({ timesteps: 2, spike_raster_ascii: expect.any(String) });
    const form = Object.entries(fields).reduce(
      (sent, [name, value]) => sent.field(name, value),
      post(INFER),
    );
    const { body: multipart } = await form.expect(200);
    expect((multipart as Answer).classification).toEqual((encoded as Answer).classification);
    await post(BATCHES).type('form').send(fields).expect(415);
  });

  it.each(REJECTIONS)('reject %s by name', async (_, body, status, code, param, named) => {
    const { body: failure } = await post(INFER).send(body).expect(status);
    expect(failure).toMatchObject({ success: false, code, param });
    expect((failure as { readonly message: string }).message).toContain(named);
  });

  it('charge nothing for an input that the network rejects', async () => {
    const reply = await post(INFER).send({ model: SLUG, input_data: FOUR_AXES }).expect(400);
    const events = eventsOf(await world.events(), reply.headers['x-request-id'] as string);
    expect(events.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldReleased']);
  });

  it('run by default, say so, and describe themselves in all promised words', async () => {
    const { body } = await post(INFER).send({ input_data: PROMPT }).expect(200);
    const answer = body as Answer & { readonly hybrid_telemetry: object };
    expect(answer).toMatchObject({
      slug: 'snnlib/spiking-resnet50',
      model_chosen_by: 'default',
      hybrid_telemetry: { motion_event_filter_efficiency: null, back_end: expect.any(String) },
    });
    expect(Object.keys(answer.hybrid_telemetry)).toEqual([
      'architecture_type',
      'front_end',
      'back_end',
      'feature_map_dim',
      'receptive_field',
      'spatial_to_spike_sparsity',
      'motion_event_filter_efficiency',
      'synergy_mechanism',
    ]);
    expect(await infer({ model: SLUG, input_data: PROMPT })).toMatchObject({
      model_chosen_by: 'model',
    });
    await post(INFER).send({ input_data: PROMPT, timesteps: 65 }).expect(400);
  });

  it('run once for an idempotency key', async () => {
    const key = randomUUID();
    const ask = () =>
      post(INFER).set('idempotency-key', key).send({ model: SLUG, input_data: PROMPT });
    const first = await ask().expect(200);
    const second = await ask().expect(200);
    expect(second.headers['x-quipu-idempotent-replay']).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  describe('in chats', () => {
    const messages = [{ role: 'user' as const, content: PROMPT }];

    it('answer for their routing mode, whatever the model of the catalog', async () => {
      const body = { model: 'acme/scripted', messages, routing_mode: 'hybrid_cnn', timesteps: 3 };
      const { data, response } = await world.openai.chat.completions
        .create(body as never)
        .withResponse();
      expect(data).toMatchObject({
        object: 'chat.completion',
        model: SLUG,
        routing_mode: 'hybrid_cnn',
        choices: [{ message: { role: 'assistant' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: PROMPT.length },
      });
      expect(
        (data as { choices: { message: { content: string } }[] }).choices[0]?.message.content,
      ).toMatch(/classified the input as "\w+".+over 3 timesteps.+synaptic events/);
      expect(response.headers.get('x-quipu-rig')).toBeNull();
      const events = eventsOf(await world.events(), response.headers.get('x-request-id'));
      expect(events[1]?.data).toMatchObject({ purpose: 'spiking_run', evidence: { timesteps: 3 } });
    });

    it('are listed among the models, and take more timesteps than the direct route', async () => {
      const { data } = await world.openai.models.list();
      expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['acme/scripted', SLUG]));
      const body = { model: SLUG, messages, timesteps: 100 };
      const reply = await world.openai.chat.completions.create(body as never);
      expect(reply.choices[0]?.message.content).toContain('over 100 timesteps');
    });

    it('stream for their slug', async () => {
      const body = { model: SLUG, messages, stream: true, stream_options: { include_usage: true } };
      const stream = (await world.openai.chat.completions.create(
        body as never,
      )) as unknown as AsyncIterable<{
        readonly choices: readonly { readonly delta: { readonly content?: string } }[];
        readonly usage?: unknown;
      }>;
      const chunks = await Array.fromAsync(stream);
      const text = chunks
        .flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ''))
        .join('');
      expect(text).toContain(SLUG);
      expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: PROMPT.length });
    });

    it.each([
      [{ model: 'acme/none', routing_mode: 'hybrid_cnn' }, 404, SLUG],
      [{ model: SLUG, routing_mode: 'hybrid' }, 400, 'hybrid_cnn'],
      [{ model: SLUG, routing_mode: 'snn_spiking' }, 400, 'hybrid_cnn'],
      [{ model: SLUG, n: 2 }, 400, 'n'],
      [{ model: SLUG, routing_mode: 'cleanroom_fhe_eval' }, 400, 'cleanroom_uuid'],
    ])('reject %p', async (body, status, named) => {
      const { body: failure } = await post('/v1/chat/completions')
        .send({ messages, ...body })
        .expect(status);
      expect((failure as { readonly error: { readonly message: string } }).error.message).toContain(
        named,
      );
    });
  });

  describe('in batches', () => {
    interface Batch {
      readonly job_id: string;
      readonly status: string;
      readonly charged_micro_usd: string | null;
      readonly results: readonly (Telemetry & {
        readonly index: number;
        readonly error?: string;
      })[];
    }
    const batch = async (id: string): Promise<Batch> =>
      (await get(`${BATCHES}/${id}`)).body as Batch;
    const charged = async (id: string): Promise<Batch> => {
      await eventually(async () => (await batch(id)).charged_micro_usd !== null);
      return batch(id);
    };

    it('run as a job that is charged once, by the counts of all runs', async () => {
      const inputs = [PROMPT, FOUR_AXES, [0.1, 0.9, 0.4]];
      const { body } = await post(BATCHES).send({ model: SLUG, inputs, timesteps: 2 }).expect(202);
      const { job_id: id } = body as Batch;
      const done = await charged(id);
      expect(done).toMatchObject({ status: 'completed', error: null });
      expect(done.results.map(({ index, error }) => [index, error])).toEqual([
        [0, undefined],
        [1, expect.stringContaining('axes')],
        [2, undefined],
      ]);
      const runs = done.results.filter(({ error }) => error === undefined);
      expect(Number(done.charged_micro_usd)).toBe(runs.reduce((sum, run) => sum + priceOf(run), 0));
      const macs = runs.reduce((sum, run) => sum + run.macs, 0);
      expect(await quipu.result('energy', 'recompute', '--job', id)).toMatchObject({
        slug: SLUG,
        runs: runs.length,
        counts: { macs },
      });
      await get(`${BATCHES}/${randomUUID()}`).expect(404);
    });

    it('are submitted on the command line', async () => {
      const file = path.join(world.home, 'inputs.jsonl');
      await writeFile(file, `${JSON.stringify(PROMPT)}\n[0.5, 1]\n`);
      const words = ['snn', 'batch', file, '--user', 'demo', '--mode', 'hybrid_cnn'] as const;
      const { job_id: id } = (await quipu.result(...words)) as Batch;
      expect((await charged(id)).results).toHaveLength(2);
      await writeFile(file, 'no json\n');
      const { exitCode, stderr } = await quipu.run(...words);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('line 1');
    });
  });

  it('run on the command line, without an account', async () => {
    const words = ['snn', 'infer', '--model', SLUG, '--input', PROMPT, '--timesteps', '4'] as const;
    const answer = await infer({ model: SLUG, input_data: PROMPT, timesteps: 4 });
    expect(await quipu.result(...words)).toMatchObject({
      classification: answer.classification,
      counts: {
        macs: answer.spiking_telemetry.macs,
        spikes: answer.spiking_telemetry.spikes_emitted,
      },
    });
    expect(await quipu.result('snn', 'models')).toMatchObject({ success: true });
  });
});
