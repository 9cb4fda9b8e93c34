import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import { eventually, startWorld, type World } from '../end-to-end/quipu.harness.js';

const MODELS = path.resolve(import.meta.dirname, '../../models');
const ADAPTER = 'acronym';

/** A token costs 1 micro-dollar in, and 2 out. */
const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: quipu/nano, owned_by: quipu, rigs: [built-in], file: ${MODELS}/nano.gguf, context: 1024,
      max_output: 64, draft: acme/draft,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/draft, owned_by: acme, rigs: [built-in], file: ${MODELS}/nano.gguf, context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 } }
  - { id: small, kind: embedding, owned_by: quipu, rigs: [built-in], dimensions: 768, context: 8192,
      file: ${MODELS}/embeddings/quipu-embed-768/model.safetensors,
      price: { input_usd_per_mtok: 1 } }
`;

const CHAT = {
  model: 'quipu/nano',
  messages: [{ role: 'user', content: 'What is a hold?' }],
  max_tokens: 12,
  temperature: 0,
};

interface Answer {
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly data?: readonly { readonly embedding: readonly number[] }[];
}

/** The same requests to a process that runs its own models, and to a worker without its folders. */
describe('engines on a worker that shares nothing but the bus', () => {
  let here: World;
  let fleet: World;

  beforeAll(async () => {
    const environment = { QUIPU_SHARDING_STAGES: '2', QUIPU_SHARDING_STANDBYS: '0' };
    const options = { catalogOf, environment };
    here = await startWorld([json(500, {})], { ...options, isHere: true });
    fleet = await startWorld([json(500, {})], { ...options, isWorkerRemote: true });
    for (const { home } of [here, fleet]) {
      await cp(path.join(MODELS, 'adapters'), path.join(home, 'models', 'adapters'), {
        recursive: true,
      });
    }
  });

  afterAll(async () => {
    await fleet.close();
    await here.close();
  });

  const ask = (world: World, address: string, body: object) =>
    request(world.quipu.url)
      .post(address)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send(body);

  const captures = async (world: World) =>
    (await world.events()).filter(({ type }) => type === 'HoldCaptured');

  const contentOf = ({ choices = [], data = [] }: Answer): unknown => [
    choices.map(({ message }) => message.content),
    data.map(({ embedding }) => embedding),
  ];

  it.each<[string, string, object, string]>([
    ['an adapter', '/v1/chat/completions', { ...CHAT, adapter: ADAPTER }, 'chat_completion'],
    [
      'an embedding',
      '/v1/embeddings',
      { model: 'small', input: 'What is a hold?', encoding_format: 'float' },
      'embedding',
    ],
    [
      'a draft',
      '/v1/chat/completions',
      { ...CHAT, routing_mode: 'vllm_speculative' },
      'speculative_completion',
    ],
    [
      'a pipeline',
      '/v1/chat/completions',
      { ...CHAT, routing_mode: 'sharded_pipeline' },
      'pipeline_completion',
    ],
  ])('answer with %s as this process does, for one charge', async (_, address, body, purpose) => {
    const expected = await ask(here, address, body).expect(200);
    const before = (await captures(fleet)).length;
    const answered = await ask(fleet, address, body).expect(200);
    expect(contentOf(answered.body as Answer)).toEqual(contentOf(expected.body as Answer));
    expect(answered.headers['x-quipu-cost-usd']).toBe(expected.headers['x-quipu-cost-usd']);
    await eventually(async () => (await captures(fleet)).length > before);
    const charged = (await captures(fleet)).slice(before);
    const charge = (await captures(here)).at(-1)?.data as HoldCaptured['data'] | undefined;
    expect(charged).toMatchObject([
      { data: { purpose, outcome: 'completed', lines: charge?.lines } },
    ]);
  });

  it('have copied the adapter, which changes what the model says', async () => {
    const [copy] = await readdir(path.join(fleet.home, 'worker', 'borrowed'));
    expect(copy).toMatch(/^[\da-f]{64}$/);
    const plain = await ask(fleet, '/v1/chat/completions', CHAT).expect(200);
    const adapted = await ask(fleet, '/v1/chat/completions', { ...CHAT, adapter: ADAPTER });
    expect(contentOf(adapted.body as Answer)).not.toEqual(contentOf(plain.body as Answer));
  });
});
