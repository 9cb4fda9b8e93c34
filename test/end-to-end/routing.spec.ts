import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { APIError } from 'openai';
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
import { chatRequest, MODEL, startWorld, type World } from './quipu.harness.js';

/** The prompt of each answer is long enough for a cache. */
const USAGE = statement(2_000, 10);
const LONG = [{ role: 'user', content: 'Tell me of knots. '.repeat(150) }];
const TOO_LONG = { message: 'too long', code: 'context_length_exceeded', type: 'invalid' };

/** The rig `small` refuses every prompt as too long; the others answer. */
const provider: Script = (response, received) => {
  const isSmall = received.headers['x-rig'] === 'small';
  const script = isSmall
    ? json(400, { error: TOO_LONG })
    : received.body['stream'] === true
      ? sse([...chunksOf('Knots', '.').map(eventOf), eventOf(usageChunkOf(USAGE)), DONE])
      : json(200, completionOf('Knots.', USAGE));
  script(response, received);
};

const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: a, kind: openai, base_url: '${baseUrl}', provider: acme, data_collection: deny }
  - name: b
    kind: openai
    base_url: '${baseUrl}'
    models: [{ id: ${MODEL}, quantization: fp8 }]
  - { name: small, kind: openai, base_url: '${baseUrl}', headers: { x-rig: small } }
models:
  - id: ${MODEL}
    owned_by: acme
    rigs: [a, b]
    context: 8192
    max_output: 100
    price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 }
  - id: acme/short
    owned_by: acme
    rigs: [small]
    context: 4096
    max_output: 100
    fallbacks: [${MODEL}]
    price: { input_usd_per_mtok: 0.50, output_usd_per_mtok: 0.50 }
`;

describe('the routing of chats', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([provider], { catalogOf });
  });

  afterAll(() => world.close());

  const ask = async (more: object = {}, headers: Record<string, string> = {}) => {
    const asked = chatRequest({ messages: LONG, ...more });
    const { data, response } = await world.openai.chat.completions
      .create(asked, { headers })
      .withResponse();
    const rig = response.headers.get('x-quipu-rig');
    return { data, rig, requestId: response.headers.get('x-request-id') ?? '' };
  };
  const explained = async (requestId: string) => {
    const { body } = await request(world.quipu.url)
      .get(`/api/v1/requests/${requestId}/explanation`)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .expect(200);
    const { events } = body as { events: { type: string; facts: Record<string, unknown> }[] };
    return events.find(({ type }) => type === 'HoldCaptured')?.facts;
  };

  it('shows an Admin the breakers, and the scores of the rigs of a model', async () => {
    const routing = (query: string) =>
      request(world.quipu.url)
        .get(`/api/v1/routing${query}`)
        .set('authorization', `Bearer ${world.credentials.api_key}`);
    const { body } = await routing(`?model=${MODEL}`).expect(200);
    expect(body).toMatchObject({
      rigs: ['a', 'b', 'small'].map((rig) => ({ rig, breaker: 'closed', breaker_since: null })),
      models: expect.arrayContaining([MODEL, 'acme/short']),
      ranking: {
        model: MODEL,
        price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 },
        rigs: [
          { absence: null, score: 0, parts: { load: 0, price: 0 }, weight: 1, cost: null },
          { absence: null, score: 0 },
        ],
      },
    });
    expect((await routing('').expect(200)).body).toMatchObject({ ranking: null });
    expect((await routing('?model=acme/none').expect(404)).body).toMatchObject({
      code: 'model_not_found',
    });
    const { renter_key: renter } = world.credentials;
    await routing('').set('authorization', `Bearer ${renter}`).expect(403);
  });

  it.each<[object, string]>([
    [{ order: ['b', 'acme'] }, 'b'],
    [{ only: ['acme'] }, 'a'],
    [{ ignore: ['a'] }, 'b'],
    [{ quantizations: ['fp8'] }, 'b'],
    [{ data_collection: 'deny' }, 'a'],
    [{ zdr: true }, 'a'],
    [{ sort: { by: 'price', partition: 'model' }, order: ['b'] }, 'b'],
    [{ require_parameters: true, only: ['b'] }, 'b'],
  ])('follows the preferences of the caller: %j', async (preference, rig) => {
    expect((await ask({ provider: preference })).rig).toBe(rig);
  });

  const INTERFACES: readonly (readonly [string, object])[] = [
    ['/v1/responses', { input: 'Knots?', max_output_tokens: 20 }],
    ['/v1/messages', { messages: [{ role: 'user', content: 'Knots?' }], max_tokens: 20 }],
    ['/v1/completions', { prompt: 'Knots?', max_tokens: 20 }],
  ];

  it.each(INTERFACES)('follows the preferences of a request to %s', async (address, body) => {
    const post = (provider: object) =>
      request(world.quipu.url)
        .post(address)
        .set('authorization', `Bearer ${world.credentials.api_key}`)
        .send({ ...body, model: MODEL, provider });
    for (const [preference, rig] of [
      [{ only: ['b'] }, 'b'],
      [{ order: ['acme'], sort: { by: 'latency' } }, 'a'],
      [{ zdr: true, require_parameters: true }, 'a'],
    ] as const) {
      const { headers } = await post(preference).expect(200);
      expect(headers['x-quipu-rig']).toBe(rig);
      expect(world.upstream.received.at(-1)?.body).not.toHaveProperty('provider');
    }
    for (const [preference, param] of [
      [{ only: ['acne'] }, 'provider.only[0]'],
      [{ sort: { by: 'price', partition: 'none' } }, 'provider.sort'],
      [{ preferred_min_throughput: 50 }, 'provider.preferred_min_throughput'],
      [{ max_price: { completion: 1 } }, 'provider.max_price.completion'],
    ] as const) {
      const { body: answer } = await post(preference).expect(400);
      expect(answer).toMatchObject({ error: { param } });
    }
  });

  it('refuses unknown names and filters that leave no rig, by the field', async () => {
    for (const [preference, param] of [
      [{ order: ['acne'] }, 'provider.order[0]'],
      [{ quantizations: ['int4'] }, 'provider.quantizations'],
      [{ max_price: { prompt: 0.1 } }, 'provider.max_price.prompt'],
      [{ only: ['b'], zdr: true }, 'provider.zdr'],
      [{ sort: { by: 'price', partition: 'none' } }, 'provider.sort'],
      [{ enforce_distillable_text: true }, 'provider.enforce_distillable_text'],
    ] as const) {
      const error: unknown = await ask({ provider: preference }).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ status: 400, param });
    }
  });

  it.each<[string, object, Record<string, string>]>([
    ['its cache key', { prompt_cache_key: 'one' }, {}],
    ['its header', {}, { 'x-session-id': 'two' }],
    ['its opening', { messages: [{ role: 'user', content: 'Three. '.repeat(400) }] }, {}],
  ])('keeps a session, known by %s, on its rig, and says why', async (_, more, headers) => {
    const { rig } = await ask(more, headers);
    for (let asked = 0; asked < 4; asked += 1) {
      const next = await ask(more, headers);
      expect(next.rig).toBe(rig);
      const other = rig === 'a' ? 'b' : 'a';
      expect(await explained(next.requestId)).toMatchObject({
        evidence: { lost_rigs: [{ rig: other, reason: 'colder' }] },
      });
    }
  });

  it('falls back where a prompt is too long, and names and charges the model', async () => {
    const { data, requestId } = await ask({ model: 'acme/short' });
    expect(data.model).toBe(MODEL);
    expect(await explained(requestId)).toMatchObject({
      amount_micro_usd: '2020',
      model: 'acme/short',
      lines: [
        { meter: 'input_tokens', model: MODEL, quantity: 2_000, unit_price_micro_usd: '1000000' },
        { meter: 'output_tokens', model: MODEL, quantity: 10, unit_price_micro_usd: '2000000' },
      ],
      evidence: {
        fallback: { model: MODEL, passed: [{ model: 'acme/short', reason: 'context_too_long' }] },
      },
    });
    const stream = await world.openai.chat.completions.create({
      ...chatRequest({ model: 'acme/short', messages: LONG }),
      stream: true,
    });
    for await (const chunk of stream) expect(chunk.model).toBe(MODEL);
  });
});
