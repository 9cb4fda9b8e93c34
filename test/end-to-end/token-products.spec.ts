import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toFile } from 'openai';
import request from 'supertest';
import { areas } from '#apps/composition/areas.js';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  type Script,
  sse,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { INPUT_METER } from '#events/token-meters.js';
import { CommandLine } from './command-line.fixture.js';
import { chatRequest, eventually, MODEL, startWorld, type World } from './quipu.harness.js';
import { AGREE, SPECULATE } from './swarm.fixture.js';

/** 150 tokens of prompt, of which 100 were cached and 30 are written to the cache. */
const USAGE = {
  ...statement(150, 40),
  prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 15 },
};
const UNITS = {
  input_tokens: 20,
  output_tokens: 25,
  cache_read_tokens: 100,
  cache_write_30m_tokens: 30,
  reasoning_tokens: 15,
};

const rig: Script = (response, received) => {
  const script =
    received.body['stream'] === true
      ? sse([...chunksOf('Knots', '.').map(eventOf), eventOf(usageChunkOf(USAGE)), DONE])
      : json(200, completionOf('Knots.', USAGE));
  script(response, received);
};

const CACHED = '"cached_tokens":100';

/** The edge is between the 150 tokens of one request and the tokens of several. */
const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: '${baseUrl}', server: vllm }
models:
  - id: ${MODEL}
    owned_by: acme
    rigs: [scripted]
    context: 8192
    max_output: 400
    price:
      input_usd_per_mtok: 2
      output_usd_per_mtok: 10
      cache_read_usd_per_mtok: 0.10
      cache_write_30m_usd_per_mtok: 2.50
      reasoning_usd_per_mtok: 12
      tiers:
        - { above_input_tokens: 100, input_usd_per_mtok: 3, reasoning_usd_per_mtok: 13 }
        - { above_input_tokens: 150, input_usd_per_mtok: 9, reasoning_usd_per_mtok: 19 }
      service_tiers:
        batch: { percent: 50, cache_read_usd_per_mtok: 0.06 }
`;

const TIER = 100;
const PRICES = {
  input_tokens: 3,
  output_tokens: 10,
  cache_read_tokens: 0.1,
  cache_write_30m_tokens: 2.5,
  reasoning_tokens: 13,
};
/** An explicit price wins over the factor. */
const BATCH_PRICES = {
  input_tokens: 1.5,
  output_tokens: 5,
  cache_read_tokens: 0.06,
  cache_write_30m_tokens: 1.25,
  reasoning_tokens: 6.5,
};

type Charge = HoldCaptured['data'];
type Priced = Readonly<Record<string, readonly [quantity: number, usdPerMtok: number]>>;

const pricedAt = (prices: Readonly<Record<string, number>>): Priced =>
  Object.fromEntries(
    Object.entries(UNITS).map(([meter, quantity]) => [meter, [quantity, prices[meter] ?? NaN]]),
  );

/** The lines of a step, whatever names its products give it. */
const pricedIn = (lines: Charge['lines']): Priced =>
  Object.fromEntries(
    lines.map(({ meter, quantity, unitPriceMicroUsd, perUnits }) => [
      meter,
      [quantity, Number(unitPriceMicroUsd) / perUnits],
    ]),
  );

/** Engines of this installation count two classes: their usage has no others. */
const BY_ENGINES = [
  'embedding',
  'pipeline_completion',
  'cleanroom_enclave_chat',
  'vault_search',
  'vault_ingest',
  'vault_ingest_job',
];

/** They have totals and no classes; `scores.spec.ts` charges them. */
const SCORES = ['moderation', 'ranking'];

describe('the same usage', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([rig], { catalogOf });
  });

  afterAll(() => world.close());

  const post = (address: string, body: object) =>
    request(world.quipu.url)
      .post(address)
      .set({ authorization: `Bearer ${world.credentials.api_key}` })
      .send(body);
  const ask = async (address: string, body: object, shown = '') => {
    const { status, text } = await post(address, body);
    expect([status, text]).toEqual([200, expect.stringContaining(shown)]);
  };
  const chat = chatRequest({ max_tokens: 100 });
  const own = { model: MODEL, messages: chat.messages, max_tokens: 100 };

  const batch = async (url: '/v1/chat/completions' | '/v1/responses', body: object) => {
    const line = { custom_id: 'a', method: 'POST', url, body: { model: MODEL, ...body } };
    const file = await toFile(Buffer.from(JSON.stringify(line)), 'lines.jsonl');
    const { id } = await world.openai.files.create({ file, purpose: 'batch' });
    let created = await world.openai.batches.create({
      input_file_id: id,
      endpoint: url,
      completion_window: '24h',
    });
    await eventually(async () => {
      created = await world.openai.batches.retrieve(created.id);
      return created.status === 'completed';
    });
    expect(created.usage).toEqual({
      input_tokens: 150,
      input_tokens_details: { cached_tokens: 100 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 15 },
      total_tokens: 190,
    });
  };

  const workflow = async () => {
    const parameters = { model: MODEL, prompt: 'Knots?', max_tokens: 100 };
    const definition = { nodes: [{ name: 'say', kind: 'chat', parameters }] };
    const { body } = await post('/api/v1/workflows', { name: 'knots', definition }).expect(201);
    const { workflow_id } = body as { readonly workflow_id: number };
    await ask('/api/v1/workflows/run', { workflow_id, inputs: {}, async: false });
  };

  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'chat', arguments: { model: MODEL, prompt: 'Knots?', max_tokens: 100 } },
  };

  /** A request of each interface, by the product that it is charged as. */
  const requests: readonly (readonly [purpose: string, title: string, run: () => Promise<void>])[] =
    [
      ['chat_completion', 'a chat', () => ask('/v1/chat/completions', chat, CACHED)],
      ['chat_completion', 'a stream', () => ask('/v1/chat/completions', { ...chat, stream: true })],
      [
        'chat_completion',
        'a legacy completion',
        () => ask('/v1/completions', { model: MODEL, prompt: 'Knots?', max_tokens: 100 }, CACHED),
      ],
      [
        'chat_completion',
        'a message',
        () => ask('/v1/messages', own, '"cache_read_input_tokens":100'),
      ],
      [
        'chat_completion',
        'a response',
        () => ask('/v1/responses', { model: MODEL, input: 'Knots?' }, CACHED),
      ],
      [
        'background_response',
        'a response in the background',
        () => ask('/v1/responses', { model: MODEL, input: 'Knots?', background: true }),
      ],
      ['batch', 'a chat in a batch', () => batch('/v1/chat/completions', chat)],
      ['batch', 'a response in a batch', () => batch('/v1/responses', { input: 'Knots?' })],
      ['workflow_run', 'a node of a workflow', workflow],
      [
        'mcp_tool_call',
        'a tool of an MCP client',
        async () => {
          const accept = 'application/json, text/event-stream';
          const { body } = await post('/api/v1/mcp', call).set('accept', accept);
          expect(body).toMatchObject({ result: { structuredContent: { text: 'Knots.' } } });
        },
      ],
      [
        'agent_session',
        'a plan of an agent',
        () =>
          ask('/api/v1/agents/orchestrate', {
            goal: 'Knots?',
            planner_model: MODEL,
            max_steps: 2,
            max_token_budget: 5_000,
          }),
      ],
      ['speculative_completion', 'a speculative answer', () => ask(SPECULATE, own, CACHED)],
      [
        'consensus_completion',
        'a consensus',
        () =>
          ask(
            AGREE,
            {
              messages: chat.messages,
              max_tokens: 100,
              fanout_nodes: 1,
              synthesis_model: MODEL,
            },
            '"cached_tokens":200',
          ),
      ],
    ];

  const chargesFor = async (purpose: string): Promise<readonly Charge[]> =>
    (await world.events())
      .filter(({ type }) => type === 'HoldCaptured')
      .map(({ data }) => data as Charge)
      .filter((charge) => charge.purpose === purpose);

  it.each(requests)('has the same lines as %s: %s', async (purpose, _, run) => {
    const before = (await chargesFor(purpose)).length;
    await run();
    await eventually(async () => (await chargesFor(purpose)).length > before);
    const charge = (await chargesFor(purpose)).at(-1);
    const isBatch = purpose === 'batch';
    const steps = new Set(charge?.lines.map(({ step }) => step));
    for (const step of steps) {
      const lines = charge?.lines.filter((line) => line.step === step) ?? [];
      expect(pricedIn(lines)).toEqual(pricedAt(isBatch ? BATCH_PRICES : PRICES));
      const tier = { aboveInputTokens: TIER, ...(isBatch && { service: 'batch' }) };
      for (const line of lines) expect(line.tier).toEqual(tier);
    }
    expect(charge).toMatchObject({ excess: [] });
    expect(steps.size).toBe(purpose === 'consensus_completion' ? 2 : 1);
  });

  it('is charged for every product with tokens', () => {
    const products = areas
      .flatMap((area) => area.products)
      .filter(({ meters, callsTools }) => callsTools || Object.hasOwn(meters, INPUT_METER))
      .map(({ purpose }) => purpose)
      .filter((purpose) => ![...BY_ENGINES, ...SCORES].includes(purpose));
    expect(new Set(requests.map(([purpose]) => purpose))).toEqual(new Set(products));
  });

  it('is priced again by the same card', async () => {
    expect(await quipu.unpricedCharges()).toBe(0);
  });
});
