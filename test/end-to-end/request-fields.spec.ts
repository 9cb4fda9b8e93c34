import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { completionOf, json, type Script, statement } from '#areas/inference/rigs/upstream.fake.js';
import { startWorld, type World } from './quipu.harness.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');

/** Serves the tier that was asked for, as OpenAI states it. */
const openai: Script = (response, received) => {
  const { service_tier: tier = 'default' } = received.body;
  json(200, { ...completionOf('Knots.', statement(10, 2)), service_tier: tier })(
    response,
    received,
  );
};

const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: closed, kind: openai, server: openai, base_url: '${baseUrl}' }
  - { name: open, kind: openai, server: openai, base_url: '${baseUrl}',
      allow_fields: [service_tier, store] }
  - { name: built-in, kind: embedded }
models:
  - { id: closed, owned_by: acme, rigs: [closed], context: 8192, max_output: 20,
      price: &price { input_usd_per_mtok: 100, output_usd_per_mtok: 100,
        service_tiers: { flex: { percent: 50 } } } }
  - { id: open, owned_by: acme, rigs: [open], context: 8192, max_output: 20, price: *price }
  - { id: nano, owned_by: quipu, rigs: [built-in], context: 1024, max_output: 8, file: ${NANO},
      price: *price }
`;

type Json = Readonly<Record<string, unknown>>;

/** The labels of a request. */
const LABELS = { prompt_cache_key: 'session-1', safety_identifier: 'user-1' };
const ADDRESSES = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  completions: '/v1/completions',
} as const;
type Interface = keyof typeof ADDRESSES;

const bodyOf = (at: Interface, more: Json): Json => {
  const messages = [{ role: 'user', content: 'Knots?' }];
  switch (at) {
    case 'chat':
      return { messages, ...more };
    case 'responses':
      return { input: 'Knots?', ...more };
    case 'messages':
      return { messages, max_tokens: 8, ...more };
    case 'completions':
      return { prompt: 'Knots?', ...more };
  }
};

describe('the fields of a request that name its price, its session and its user', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([openai], { catalogOf });
  });

  afterAll(() => world.close());

  const post = (at: Interface, model: string, more: Json) =>
    request(world.quipu.url)
      .post(ADDRESSES[at])
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send({ model, ...bodyOf(at, more) });
  const received = () => world.upstream.received.at(-1)?.body;

  it.each<[Interface, Json, Json]>([
    [
      'chat',
      { ...LABELS, service_tier: 'auto', store: false },
      { ...LABELS, service_tier: 'auto', store: false },
    ],
    ['responses', { ...LABELS, service_tier: 'default' }, { ...LABELS, service_tier: 'default' }],
    ['completions', { ...LABELS, store: false }, { ...LABELS, store: false }],
    ['messages', { metadata: { user_id: 'user-1' } }, { user: 'user-1' }],
  ])('reach a provider: %s with %j', async (at, sent, expected) => {
    await post(at, 'closed', sent).expect(200);
    expect(received()).toMatchObject(expected);
  });

  it('of a message are hints, and of Quipu the storage of a response', async () => {
    await post('messages', 'closed', { service_tier: 'standard_only' }).expect(200);
    expect(received()).not.toHaveProperty('service_tier');
    const { body } = await post('responses', 'closed', { store: true, ...LABELS }).expect(200);
    expect(received()).not.toHaveProperty('store');
    expect(body).toMatchObject({ store: true, service_tier: 'default', ...LABELS });
    const { id } = body as { readonly id: string };
    await request(world.quipu.url)
      .get(`/v1/responses/${id}`)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .expect(200);
  });

  it.each<[Interface, string, Json, string]>([
    ['chat', 'closed', { service_tier: 'flex' }, 'service_tier'],
    ['chat', 'closed', { store: true }, 'store'],
    ['completions', 'closed', { service_tier: 'priority' }, 'service_tier'],
    ['responses', 'closed', { service_tier: 'flex' }, 'service_tier'],
    ['responses', 'closed', { service_tier: 'Not a tier' }, 'service_tier'],
    ['messages', 'closed', { service_tier: 'flex' }, 'service_tier'],
    ['messages', 'closed', { prompt_cache_key: 'a' }, 'prompt_cache_key'],
    ['chat', 'nano', { service_tier: 'flex' }, 'service_tier'],
    ['chat', 'nano', { store: true }, 'store'],
  ])(
    'are refused by name where they are no caller’s: %s, %s, %j',
    async (at, model, sent, param) => {
      const { body } = await post(at, model, sent).expect(400);
      expect(body).toMatchObject({ error: { param } });
    },
  );

  it.each<[Interface]>([['chat'], ['responses'], ['completions']])(
    'have a price where the operator allows them: %s',
    async (at) => {
      const { body, headers } = await post(at, 'open', { service_tier: 'flex' }).expect(200);
      expect(received()).toMatchObject({ service_tier: 'flex' });
      // Twelve tokens at half of a hundred micro-dollars.
      expect(headers['x-quipu-cost-usd']).toBe('0.000600');
      if (at === 'responses') expect(body).toMatchObject({ service_tier: 'flex' });
    },
  );

  it('are ignored by an embedded model as far as they change no answer', async () => {
    await post('chat', 'nano', { ...LABELS, service_tier: 'auto', store: false }).expect(200);
    await post('responses', 'nano', LABELS).expect(200);
  });
});
