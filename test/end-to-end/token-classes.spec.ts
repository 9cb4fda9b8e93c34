import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
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
import { type HoldPlaced } from '#events/billing/account.events.js';
import { verifyBill } from '#areas/audit/bill/verify-bill.js';
import { chatRequest, eventsOf, MODEL, startWorld, type World } from './quipu.harness.js';

/** 1,000 tokens of prompt, of which 700 were cached and 200 are written to the cache. */
const USAGE = {
  ...statement(1_000, 40),
  prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 200 },
  completion_tokens_details: { reasoning_tokens: 30 },
};

const rig: Script = (response, received) => {
  const script =
    received.body['stream'] === true
      ? sse([...chunksOf('A', ' quipu').map(eventOf), eventOf(usageChunkOf(USAGE)), DONE])
      : json(200, completionOf('A quipu', USAGE));
  script(response, received);
};

const DEAR = 'acme/dear';

const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: '${baseUrl}' }
models:
  - id: ${MODEL}
    owned_by: acme
    rigs: [scripted]
    context: 8192
    price:
      input_usd_per_mtok: 2
      output_usd_per_mtok: 10
      cache_read_usd_per_mtok: 0.10
      cache_write_30m_usd_per_mtok: 2.50
      tiers: [{ above_input_tokens: 999, input_usd_per_mtok: 4, cache_read_usd_per_mtok: 0.20 }]
  - { id: ${DEAR}, owned_by: acme, rigs: [scripted], context: 8192,
      price: { input_usd_per_mtok: 1000000, output_usd_per_mtok: 1000000 } }
`;

/** 100 fresh at 4, 700 cached at 0.20, 200 written at 2.50, 40 of output at 10. */
const MICRO_USD = 400 + 140 + 500 + 400;
const LONG = { question: 'x'.repeat(3_000) };

describe('a chat whose upstream has a cache', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([rig], {
      catalogOf,
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
    });
  });

  afterAll(() => world.close());

  const http = () => request(world.quipu.url);
  const asDemo = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const body = (more: object = {}) =>
    chatRequest({ messages: [{ role: 'user', content: LONG.question }], ...more });
  const chargeOf = async (requestId: string | undefined) => {
    const events = eventsOf(await world.events(), requestId ?? null);
    return events.find(({ type }) => type === 'HoldCaptured')?.data as Record<string, unknown>;
  };

  it('costs each class its price, in the tier that all its input reaches', async () => {
    const { data, response } = await world.openai.chat.completions.create(body()).withResponse();
    expect(data.usage).toEqual(USAGE);
    const charge = await chargeOf(response.headers.get('x-request-id') ?? undefined);
    const tier = { aboveInputTokens: 999 };
    expect(charge).toMatchObject({
      amountMicroUsd: String(MICRO_USD),
      lines: [
        { meter: 'input_tokens', quantity: 100, unitPriceMicroUsd: '4000000', tier },
        { meter: 'output_tokens', quantity: 10, unitPriceMicroUsd: '10000000', tier },
        { meter: 'cache_read_tokens', quantity: 700, unitPriceMicroUsd: '200000', tier },
        { meter: 'cache_write_30m_tokens', quantity: 200, unitPriceMicroUsd: '2500000', tier },
        { meter: 'reasoning_tokens', quantity: 30, unitPriceMicroUsd: '10000000', tier },
      ],
    });
  });

  it('costs the same as a stream', async () => {
    const { text, headers } = await http()
      .post('/v1/chat/completions')
      .set(asDemo())
      .send(body({ stream: true, stream_options: { include_usage: true } }))
      .expect(200);
    expect(text).toContain('"cached_tokens":700');
    const charge = await chargeOf(headers['x-request-id']);
    expect(charge).toMatchObject({ amountMicroUsd: String(MICRO_USD) });
  });

  it('shows the classes in the fields of each interface', async () => {
    const message = await http()
      .post('/v1/messages')
      .set(asDemo())
      .send({ ...body(), max_tokens: 100 })
      .expect(200);
    expect(message.body).toMatchObject({
      usage: {
        input_tokens: 100,
        cache_read_input_tokens: 700,
        cache_creation_input_tokens: 200,
        output_tokens: 40,
      },
    });
    const response = await http()
      .post('/v1/responses')
      .set(asDemo())
      .send({ model: MODEL, input: LONG.question })
      .expect(200);
    expect(response.body).toMatchObject({
      usage: {
        input_tokens: 1_000,
        input_tokens_details: { cached_tokens: 700, cache_write_tokens: 200 },
        output_tokens: 40,
        output_tokens_details: { reasoning_tokens: 30 },
      },
    });
  });

  it('has an estimate that is its hold, and holds nothing', async () => {
    const before = await world.events();
    const { body: estimate } = await http()
      .post('/api/v1/estimate')
      .set(asDemo())
      .send(body({ max_tokens: 50 }))
      .expect(200);
    expect(await world.events()).toHaveLength(before.length);
    expect(estimate).toMatchObject({
      success: true,
      model: MODEL,
      tier: { service: null, above_input_tokens: 999, period: null, residency: null },
      would_run: true,
      rejections: [],
    });
    const { response } = await world.openai.chat.completions
      .create(body({ max_tokens: 50 }))
      .withResponse();
    const requestId = response.headers.get('x-request-id');
    const hold = eventsOf(await world.events(), requestId)[0]?.data as HoldPlaced['data'];
    const shown = estimate as { readonly max_cost_usd: number; readonly lines: readonly object[] };
    expect(shown.lines).toEqual(
      hold.lines.map(({ meter, quantity, unitPriceMicroUsd, perUnits }) => ({
        meter,
        quantity,
        usd: Number(unitPriceMicroUsd) / 1e6,
        per: perUnits,
      })),
    );
    expect(shown.max_cost_usd).toBe(Number(hold.amountMicroUsd) / 1e6);
  });

  it.each([
    [{ model: 'acme/none' }, ['model_not_found']],
    [{ model: DEAR, max_tokens: 9 }, ['insufficient_balance']],
    [
      { model: DEAR, max_tokens: 9, priority: 9 },
      ['unsupported_parameter', 'insufficient_balance'],
    ],
    [{ max_tokens: 9_000 }, ['context_length_exceeded']],
    [{ n: 16, max_tokens: 8_000, tools: [] }, []],
    [{ routing_mode: 'rig_none' }, ['rig_not_found']],
    [{ priority: 9, adapter: 'none' }, ['unsupported_parameter', 'adapter_not_found']],
  ])('has an estimate that says what would refuse it: %j', async (fields, codes) => {
    const { body: estimate } = await http()
      .post('/api/v1/estimate')
      .set(asDemo())
      .send(body(fields))
      .expect(200);
    const { rejections } = estimate as {
      readonly rejections: readonly { readonly code: string }[];
    };
    expect(rejections.map(({ code }) => code)).toEqual(codes);
  });

  it('has no estimate of a body that is none, or of a mode without rigs', async () => {
    const post = (sent: object) => http().post('/api/v1/estimate').set(asDemo()).send(sent);
    await post({ model: MODEL }).expect(400);
    await post(body({ routing_mode: 'moa_consensus' })).expect(400);
  });

  it('is on a bill that its customer can recompute', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const { body: archive } = await http()
      .get(`/api/v1/billing/statements/${month}.zip`)
      .set(asDemo())
      .responseType('blob')
      .expect(200);
    const { text: key } = await http().get('/audit/key').expect(200);
    const report = verifyBill(archive as Buffer, { key: key.trimEnd() });
    expect(report.chargedMicroUsd).toBe(String(5 * MICRO_USD));
  });
});
