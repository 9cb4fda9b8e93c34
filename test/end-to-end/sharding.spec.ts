import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const ADDRESS = '/api/v1/swarm/pipeline_orchestrator';
const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');
const MESSAGES = [{ role: 'user' as const, content: 'What is a hold and when is it captured?' }];

/** A long answer, which no greedy one is. */
const LONG = { max_tokens: 200, temperature: 2, seed: 3 };

const catalogOf = (halfFile: string) => (baseUrl: string) => `
rigs:
  - { name: built-in, kind: embedded }
  - { name: upstream, kind: openai, base_url: ${baseUrl} }
models:
  - { id: quipu/nano, owned_by: quipu, rigs: [built-in], context: 1024, max_output: 64,
      file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/half, owned_by: acme, rigs: [built-in], context: 1024, max_output: 64,
      file: ${halfFile}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/far, owned_by: acme, rigs: [upstream], context: 1024, max_output: 64,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

interface Answer {
  readonly pipeline_distribution: readonly {
    readonly stage: number;
    readonly node: string;
    readonly layers: string;
    readonly transport_latency_ms: number;
  }[];
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly failovers: number;
}

describe('sharded pipelines', () => {
  let world: World;
  let folder: string;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-half-'));
    const bytes = await readFile(NANO);
    // Behind the name: the number of dimensions, two of them, then the type; 10 is Q2_K.
    const name = 'blk.0.ffn_up.weight';
    bytes.writeUInt32LE(10, bytes.indexOf(name) + name.length + 20);
    const half = path.join(folder, 'half.gguf');
    await writeFile(half, bytes);
    world = await startWorld([], {
      catalogOf: catalogOf(half),
      environment: { QUIPU_SHARDING_STAGES: '2', QUIPU_SHARDING_STANDBYS: '1' },
    });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const post = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    request(world.quipu.url)
      .post(ADDRESS)
      .set({ authorization: `Bearer ${world.credentials.api_key}`, ...headers })
      .send({ model: 'quipu/nano', messages: MESSAGES, ...body });

  const answerOf = async (body: object = {}): Promise<Answer> =>
    (await post({ temperature: 0, ...body }).expect(200)).body as Answer;

  const chat = (body: object = {}) => ({
    model: 'quipu/nano',
    messages: MESSAGES,
    routing_mode: 'sharded_pipeline',
    temperature: 0,
    ...body,
  });

  const holds = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await world.events())
      .filter(({ type }) => type.startsWith('Hold'))
      .map(({ type, data }) => ({ ...data, type }));

  it('answer with the text of the built-in model, and charge its tokens', async () => {
    const { body, headers } = await post({ temperature: 0 }).expect(200);
    const { choices, usage, pipeline_distribution: stages } = body as Answer;
    const built = await world.openai.chat.completions.create({
      model: 'quipu/nano',
      messages: MESSAGES,
      temperature: 0,
    });
    expect(choices[0]?.message.content).toBe(built.choices[0]?.message.content);
    expect(body).toMatchObject({
      status: 'success',
      routing_mode: 'sharded_pipeline',
      transport: 'websocket',
      model: 'quipu/nano',
      failovers: 0,
      usage: built.usage,
      engine: expect.stringMatching(/^embedded:llama-layers@d103f2/),
    });
    expect(stages.map(({ stage, layers }) => [stage, layers])).toEqual([
      [0, '0-1'],
      [1, '2-3'],
    ]);
    for (const { transport_latency_ms: ms } of stages) expect(ms).toBeGreaterThan(0);
    const { prompt_tokens: input, completion_tokens: output } = usage;
    expect(headers['x-quipu-cost-usd']).toBe(((input + 2 * output) / 1e6).toFixed(6));
    const captured = (await holds()).find(({ purpose, type }) => {
      return purpose === 'pipeline_completion' && type === 'HoldCaptured';
    });
    expect(captured).toMatchObject({
      lines: [
        { meter: 'input_tokens', quantity: input },
        { meter: 'output_tokens', quantity: output },
      ],
      model: 'quipu/nano',
      outcome: 'completed',
      usageSource: 'counted',
      evidence: { layers: ['0-1', '2-3'], failovers: 0, transport: 'websocket' },
    });
    expect(JSON.stringify((await world.events()).map(({ data }) => data))).not.toContain(
      'captured?',
    );
  });

  it('answer chats, whole and as streams, by the same text', async () => {
    const expected = (await answerOf()).choices[0]?.message.content;
    const whole = await world.openai.chat.completions.create(chat());
    expect(whole).toMatchObject({ model: 'quipu/nano', routing_mode: 'sharded_pipeline' });
    expect(whole.choices[0]?.message.content).toBe(expected);
    const stream = await world.openai.chat.completions.create({
      ...chat(),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const text = chunks.map(({ choices: [first] }) => first?.delta.content ?? '').join('');
    expect(text).toBe(expected);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
    expect(chunks.length).toBeGreaterThan(10);
  });

  it('go on with the same text when a stage is killed while it streams', async () => {
    const undisturbed = await answerOf(LONG);
    const [first] = undisturbed.pipeline_distribution;
    const stream = await world.openai.chat.completions.create({ ...chat(LONG), stream: true });
    let text = '';
    for await (const { choices } of stream) {
      if (text === '') process.kill(Number(first?.node.split(':').at(-1)), 'SIGKILL');
      text += choices[0]?.delta.content ?? '';
    }
    expect(text).toBe(undisturbed.choices[0]?.message.content);
    const captured = (await holds()).at(-1);
    expect(captured).toMatchObject({
      type: 'HoldCaptured',
      lines: [{}, { quantity: undisturbed.usage.completion_tokens }],
    });
    expect(captured).toMatchObject({ evidence: { failovers: 1 } });
  });

  it('answer once for an Idempotency-Key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const before = (await holds()).length;
    const first = await post({ temperature: 1 }, key).expect(200);
    const second = await post({ temperature: 1 }, key).expect(200);
    expect(second.body).toEqual(first.body);
    expect(await holds()).toHaveLength(before + 2);
  });

  it.each([
    [{ model: 'acme/none' }, 404, 'pipeline_model_unknown', 'model'],
    [{ model: 'acme/far' }, 400, 'pipeline_model_unsupported', 'model'],
    [{ model: 'acme/half' }, 400, 'pipeline_model_unsupported', 'model'],
    [{ transport: 'wireguard_direct' }, 501, 'pipeline_transport_unavailable', 'transport'],
    [{ transport: 'pigeon' }, 400, 'invalid_request', undefined],
    [{ messages: [] }, 400, 'invalid_request', undefined],
    [{ messages: [{ role: 'tool', content: '' }] }, 400, 'invalid_request', undefined],
    [{ max_tokens: 2_000 }, 400, 'pipeline_max_tokens_above_context', 'max_tokens'],
    [
      { messages: [{ role: 'user', content: 'hold '.repeat(2_000) }] },
      ...([400, 'pipeline_prompt_too_long', 'messages'] as const),
    ],
  ])('refuse by name, and for free: %p', async (body, status, code, param) => {
    const before = (await holds()).filter(({ type }) => type === 'HoldCaptured').length;
    const answer = await post(body);
    expect([answer.status, answer.body]).toEqual([
      status,
      expect.objectContaining({ success: false, code, ...(param && { param }) }),
    ]);
    const ends = (await holds()).filter(({ type }) => type !== 'HoldCaptured');
    const placed = ends.filter(({ type }) => type === 'HoldPlaced').length;
    const released = ends.filter(({ type }) => type === 'HoldReleased').length;
    expect(placed - released).toBe(before);
  });

  it('name the type of a tensor that they cannot compute', async () => {
    const { body } = await post({ model: 'acme/half' });
    expect(body).toMatchObject({ message: expect.stringContaining('ffn_up.weight is Q2_K') });
  });

  it.each([
    [{ logprobs: true }, 'logprobs'],
    [{ n: 2 }, 'n'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
  ])('refuse what a chat asks and they cannot honour: %p', async (body, field) => {
    const asked = world.openai.chat.completions.create(chat(body));
    await expect(asked).rejects.toMatchObject({
      status: 400,
      code: 'pipeline_field_unsupported',
      message: expect.stringContaining(`'${field}'`),
    });
  });

  it('end when the caller leaves a whole answer, and the place is free again', async () => {
    const before = await holds();
    const caller = new AbortController();
    const asked = {
      model: 'quipu/nano',
      messages: MESSAGES,
      max_tokens: 900,
      temperature: 2,
      seed: 4,
    };
    const leaving = fetch(`${world.quipu.url}${ADDRESS}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.credentials.api_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(asked),
      signal: caller.signal,
    });
    await eventually(async () => (await holds()).length > before.length);
    caller.abort();
    await expect(leaving).rejects.toThrow(/abort/i);
    await eventually(async () => (await holds()).at(-1)?.['type'] !== 'HoldPlaced');
    const { reason, outcome = reason } = (await holds()).at(-1) ?? {};
    expect(outcome).toBe('client_gone');
    expect((await answerOf()).usage.completion_tokens).toBeGreaterThan(0);
  });
});
