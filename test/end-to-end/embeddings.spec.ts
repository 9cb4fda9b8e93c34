import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenAI, toFile } from 'openai';
import request from 'supertest';
import { json, type Received } from '#areas/inference/rigs/upstream.fake.js';
import { eventsOf, eventually, startWorld, type World } from './quipu.harness.js';

const MODELS = path.resolve(import.meta.dirname, '../../models');

/** A token costs a micro-dollar. */
const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: built-in, kind: embedded }
  - { name: scripted, kind: openai, base_url: ${baseUrl} }
models:
  - { id: small, kind: embedding, owned_by: quipu, rigs: [built-in], dimensions: 768, context: 8192,
      file: ${MODELS}/embeddings/quipu-embed-768/model.safetensors,
      price: { input_usd_per_mtok: 1 } }
  - { id: large, kind: embedding, owned_by: quipu, rigs: [built-in], context: 8192,
      dimensions: 1024, file: ${MODELS}/embeddings/quipu-embed-1024/model.safetensors,
      price: { input_usd_per_mtok: 1 } }
  - { id: gguf, kind: embedding, owned_by: quipu, rigs: [built-in], context: 1024,
      file: ${MODELS}/nano.gguf, price: { input_usd_per_mtok: 1 } }
  - { id: theirs, kind: embedding, upstream_id: theirs-1, owned_by: acme, rigs: [scripted],
      context: 512, price: { input_usd_per_mtok: 1 } }
`;

/** Two numbers for each input, and usage unless the request says otherwise. */
const upstream = (response: Parameters<ReturnType<typeof json>>[0], received: Received): void => {
  const { input, user } = received.body as { readonly input: readonly unknown[]; user?: string };
  if (user === 'refuse') {
    const error = { message: 'no', type: 'invalid_request_error', param: 'input', code: 'bad' };
    json(400, { error })(response, received);
    return;
  }
  if (user === 'hang') return;
  const data = input.map((_, index) => ({ object: 'embedding', index, embedding: [0.6, -0.8] }));
  const usage = { prompt_tokens: 7, total_tokens: 7 };
  const answer = { object: 'list', data: data.toReversed(), model: 'theirs-1b' };
  json(200, user === 'count' ? answer : { ...answer, usage })(response, received);
};

const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector);
const cosine = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

describe('embeddings', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([upstream], { catalogOf });
  });

  afterAll(() => world.close());

  const post = (body: object, address = '/v1/embeddings') =>
    request(world.quipu.url)
      .post(address)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send(body);

  /** Of the charges, the last one. */
  const lastCharge = async () =>
    (await world.events()).findLast(({ type }) => type === 'HoldCaptured');

  const vectorsFor = async (input: OpenAI.EmbeddingCreateParams['input'], body: object = {}) => {
    const params = { model: 'small', input, encoding_format: 'float', ...body } as const;
    const { data } = await world.openai.embeddings.create(params);
    return data.map(({ embedding }) => embedding);
  };

  describe('of the built-in models', () => {
    it.each([
      ['small', 768],
      ['large', 1_024],
    ])('have unit length: %s with %d dimensions', async (model, dimensions) => {
      const { data, response } = await world.openai.embeddings
        .create({ model, input: 'What is a hold?', encoding_format: 'float' })
        .withResponse();
      expect(data).toMatchObject({
        object: 'list',
        model,
        data: [{ object: 'embedding', index: 0 }],
      });
      expect(data.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 });
      const vector = data.data[0]?.embedding ?? [];
      expect(vector).toHaveLength(dimensions);
      expect(lengthOf(vector)).toBeCloseTo(1, 6);
      expect(response.headers.get('x-quipu-cost-usd')).toBe('0.000005');
      expect(response.headers.get('x-quipu-rig')).toBe('built-in');
      const written = eventsOf(await world.events(), response.headers.get('x-request-id'));
      expect(written.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
      expect(written[1]).toMatchObject({
        id: response.headers.get('x-quipu-event-id'),
        data: {
          purpose: 'embedding',
          usageSource: 'provider',
          lines: [{ meter: 'input_tokens', quantity: 5 }],
          evidence: {
            models: { asked: model, sent: model, answered: model },
            dimensions,
            inputs: 1,
          },
        },
      });
      expect(JSON.stringify(written.map(({ data: stored }) => stored))).not.toContain('hold?');
    });

    it('are the same floats in base64, which the client asks for by default', async () => {
      const input = ['How do I cook pasta?', 'What is the best way to prepare noodles?'];
      const decoded = await world.openai.embeddings.create({ model: 'small', input });
      const floats = await vectorsFor(input);
      expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual(
        floats.map((vector) => [...new Float32Array(vector)]),
      );
    });

    it('depend on nothing but the text', async () => {
      const texts = Array.from({ length: 20 }, (_, at) => `Text number ${at} about knots.`);
      const together = await vectorsFor(texts);
      const [alone] = await vectorsFor(texts[13] ?? '');
      expect(together[13]).toEqual(alone);
      expect(new Set(together.map(String)).size).toBe(20);
    });

    it('are closer for paraphrases than for other texts', async () => {
      const [one, same, other] = await vectorsFor([
        'How do I repair the roof?',
        'tips on how to fix the rooftop',
        'How do I bake a cake?',
      ]);
      expect(cosine(one ?? [], same ?? [])).toBeGreaterThan(cosine(one ?? [], other ?? []) + 0.3);
    });

    it('are cut to the first dimensions, and have unit length again', async () => {
      const [whole = []] = await vectorsFor('knots');
      const [cut = []] = await vectorsFor('knots', { dimensions: 100 });
      const head = whole.slice(0, 100);
      expect(cut).toHaveLength(100);
      for (const [at, value] of cut.entries()) {
        expect(value).toBeCloseTo((head[at] ?? 0) / lengthOf(head), 6);
      }
    });

    it('read tokens of cl100k_base', async () => {
      // "Hello world" and "What is a hold?" by tiktoken.
      const [hello] = await vectorsFor([9906, 1917]);
      expect(hello).toEqual((await vectorsFor('Hello world'))[0]);
      const both = await vectorsFor([
        [9906, 1917],
        [3923, 374, 264, 3412, 30],
      ]);
      expect(both).toEqual(await vectorsFor(['Hello world', 'What is a hold?']));
    });

    it.each([
      ['an empty text', { input: '' }, 'input', /empty/],
      ['an empty text of a list', { input: ['a', ''] }, 'input[1]', /empty/],
      ['an empty list', { input: [] }, 'input', /empty/],
      ['an empty list of tokens', { input: [[1], []] }, 'input[1]', /empty/],
      ['a negative token', { input: [[1, -1]] }, 'input[0][1]', /./],
      ['another type', { input: { text: 'a' } }, 'input', /list of texts/],
      ['mixed lists', { input: [['a'], 'b'] }, 'input[0][0]', /./],
      ['too many inputs', { input: Array(2_049).fill('a') }, 'input', /2048/],
      ['too many dimensions', { input: 'a', dimensions: 769 }, 'dimensions', /768/],
      ['no dimension', { input: 'a', dimensions: 0 }, 'dimensions', /1/],
      ['another encoding', { input: 'a', encoding_format: 'hex' }, 'encoding_format', /./],
      ['an unknown field', { input: 'a', truncate: true }, 'truncate', /not supported/],
      ['a text without letters', { input: ['a', '?!'] }, 'input[1]', /no letter/],
      ['a token of no text', { input: [[100_257]] }, 'input', /cl100k_base/],
      ['too many tokens', { input: 'word '.repeat(9_000) }, 'input', /9001 tokens/],
      ['too many characters', { input: 'a b '.repeat(20_000) }, 'input', /65536/],
      ['a word without an end', { input: 'a'.repeat(5_000) }, 'input', /without a break/],
    ])('refuse %s by the name of the field', async (_, body, param, message) => {
      const before = (await world.events()).length;
      const { body: answer } = await post({ model: 'small', ...body }).expect(400);
      expect(answer).toMatchObject({ error: { param, message: expect.stringMatching(message) } });
      const written = (await world.events()).slice(before).map(({ type }) => type);
      expect(written).not.toContain('HoldCaptured');
    });

    it('refuse a model that chats, and chats refuse them', async () => {
      const none = await post({ model: 'none', input: 'a' }).expect(404);
      expect(none.body).toMatchObject({
        error: { message: 'there is no model none; see GET /v1/models' },
      });
      const chat = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] };
      const { body } = await post(chat, '/v1/chat/completions').expect(404);
      const message = 'the model small is not a chat model; see GET /v1/models';
      expect(body).toMatchObject({ error: { code: 'model_not_found', message } });
    });

    it('answer a retry with the same key once', async () => {
      const ask = () =>
        post({ model: 'small', input: 'once' }, '/api/v1/embeddings').set('idempotency-key', 'k');
      const { body: first } = await ask().expect(200);
      const count = (await world.events()).length;
      const { body: second } = await ask().expect(200);
      expect(second).toEqual(first);
      expect(await world.events()).toHaveLength(count);
    });

    it('count in the metrics', async () => {
      const { text } = await request(world.quipu.url)
        .get('/metrics')
        .set('authorization', `Bearer ${world.environment['QUIPU_OPERATIONS_TOKEN'] ?? ''}`);
      expect(text).toMatch(/gen_ai_operation_name="embeddings",gen_ai_request_model="small"/);
    });
  });

  describe('in a batch', () => {
    it('are lines of the endpoint /v1/embeddings, at the price of batches', async () => {
      const line = (custom_id: string, input: unknown) =>
        JSON.stringify({
          custom_id,
          method: 'POST',
          url: '/v1/embeddings',
          body: { model: 'small', input },
        });
      const lines = [line('one', 'Hello world'), line('two', ['a', '?'])].join('\n');
      const file = await toFile(Buffer.from(lines), 'lines.jsonl');
      const { id: input_file_id } = await world.openai.files.create({ file, purpose: 'batch' });
      const created = await world.openai.batches.create({
        input_file_id,
        endpoint: '/v1/embeddings',
        completion_window: '24h',
      });
      let batch = created;
      await eventually(async () => {
        batch = await world.openai.batches.retrieve(created.id);
        return batch.status === 'completed';
      });
      const output = await world.openai.files.content(batch.output_file_id ?? '');
      const [answer] = (await output.text())
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as object);
      const [alone] = await vectorsFor('Hello world');
      expect(answer).toMatchObject({
        custom_id: 'one',
        response: { status_code: 200, body: { data: [{ embedding: alone }] } },
      });
      const errors = await world.openai.files.content(batch.error_file_id ?? '');
      expect(await errors.text()).toContain('input[1]');
      const chargeOf = async () =>
        (await world.events()).findLast(
          ({ type, data }) =>
            type === 'HoldCaptured' && (data as { purpose?: string }).purpose === 'batch',
        );
      // A batch is completed, and then charged by its saga.
      await eventually(async () => (await chargeOf()) !== undefined);
      // Half of a micro-dollar for each of two tokens.
      expect(await chargeOf()).toMatchObject({
        data: { amountMicroUsd: '1', lines: [{ meter: 'input_tokens', quantity: 2 }] },
      });
    });
  });

  describe('of a GGUF file', () => {
    it('have the width of its model, unit length, and its own tokens', async () => {
      const { data, usage } = await world.openai.embeddings.create({
        model: 'gguf',
        input: ['What is a hold?', 'What is a hold?', 'Explain holds.'],
        encoding_format: 'float',
      });
      const [one = [], same, other] = data.map(({ embedding }) => embedding);
      expect(one).toHaveLength(128);
      expect(lengthOf(one)).toBeCloseTo(1, 6);
      expect(same).toEqual(one);
      expect(other).not.toEqual(one);
      expect(usage.prompt_tokens).toBeGreaterThan(8);
    });

    it('refuse more dimensions than it has, unknown tokens and long texts', async () => {
      for (const [body, param] of [
        [{ input: 'a', dimensions: 129 }, 'dimensions'],
        [{ input: [[1], [1_280]] }, 'input[1]'],
        [{ input: 'many words '.repeat(2_000) }, 'input'],
      ] as const) {
        const { body: answer } = await post({ model: 'gguf', ...body }).expect(400);
        expect(answer).toMatchObject({ error: { param } });
      }
    });
  });

  describe('of an upstream', () => {
    it('pass through in the order of the inputs, with the usage that it states', async () => {
      const body = { model: 'theirs', input: ['a', 'b'], input_type: 'query', dimensions: 2 };
      const { body: answer } = await post(body).expect(200);
      expect(answer).toMatchObject({
        model: 'theirs',
        data: [
          { index: 0, embedding: [0.6, -0.8] },
          { index: 1, embedding: [0.6, -0.8] },
        ],
        usage: { prompt_tokens: 7, total_tokens: 7 },
      });
      expect(world.upstream.received.at(-1)).toMatchObject({
        path: '/v1/embeddings',
        body: { ...body, model: 'theirs-1' },
      });
      expect(await lastCharge()).toMatchObject({
        data: { rig: 'scripted', evidence: { models: { answered: 'theirs-1b' }, dimensions: 2 } },
      });
    });

    it('become base64 where it sends numbers', async () => {
      const body = { model: 'theirs', input: 'a', encoding_format: 'base64' };
      const { body: answer } = await post(body).expect(200);
      const { data } = answer as { data: readonly { readonly embedding: string }[] };
      const bytes = Buffer.from(data[0]?.embedding ?? '', 'base64');
      expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([
        Math.fround(0.6),
        Math.fround(-0.8),
      ]);
    });

    it('are counted where it states no usage', async () => {
      const input = 'x'.repeat(80);
      await post({ model: 'theirs', input, user: 'count' }).expect(200);
      expect(await lastCharge()).toMatchObject({
        data: { usageSource: 'counted', lines: [{ quantity: 10 }] },
      });
    });

    it('fail with its error, free of charge', async () => {
      const { body } = await post({ model: 'theirs', input: 'a', user: 'refuse' }).expect(400);
      expect(body).toMatchObject({ error: { code: 'bad', param: 'input', message: 'no' } });
      expect((await world.events()).at(-1)).toMatchObject({ type: 'HoldReleased' });
    });

    it('are charged to a caller that leaves before the answer', async () => {
      const caller = new AbortController();
      const asked = world.openai.embeddings.create(
        { model: 'theirs', input: 'a', user: 'hang' },
        { signal: caller.signal },
      );
      await eventually(() => world.upstream.received.at(-1)?.body['user'] === 'hang');
      caller.abort();
      await expect(asked).rejects.toThrow();
      await eventually(async () => (await world.events()).at(-1)?.type === 'HoldCaptured');
      expect((await world.events()).at(-1)).toMatchObject({ data: { outcome: 'client_gone' } });
    });
  });

  it.each(['/v1/rerank', '/api/v1/rerank'])('rank documents at %s, and are charged', async (at) => {
    const documents = ['A dog barks at the moon.', 'Knotted cords of the Inca keep accounts.'];
    const query = 'Which knotted cords kept accounts?';
    const ranking = { model: 'small', query, documents, top_n: 1 };
    const { body, headers } = await post(ranking, at).expect(200);
    expect(body).toMatchObject({
      id: `rerank-${headers['x-request-id']}`,
      model: 'small',
      results: [{ index: 1, document: { text: documents[1] } }],
    });
    const { usage, results } = body as {
      readonly usage: { readonly total_tokens: number };
      readonly results: readonly { readonly relevance_score: number }[];
    };
    const vectors = await post({ model: 'small', input: [query, documents[1]] }).expect(200);
    const { data } = vectors.body as {
      readonly data: readonly { readonly embedding: readonly number[] }[];
    };
    const [one = [], other = []] = data.map(({ embedding }) => embedding);
    expect(results[0]?.relevance_score).toBeCloseTo(cosine(one, other), 6);
    const events = eventsOf(await world.events(), String(headers['x-request-id']));
    expect(events.find(({ type }) => type === 'HoldCaptured')?.data).toMatchObject({
      purpose: 'embedding',
      amountMicroUsd: String(usage.total_tokens),
    });
  });

  it('rank documents by the embeddings of an upstream', async () => {
    const { body } = await post(
      { model: 'theirs', query: 'a', documents: ['b', 'c'], return_documents: false },
      '/v1/rerank',
    ).expect(200);
    expect(body).toMatchObject({
      usage: { total_tokens: 7 },
      results: [{ index: 0 }, { index: 1 }],
    });
    const refused = await post({ model: 'theirs', query: 'a' }, '/v1/rerank').expect(400);
    expect(refused.body).toMatchObject({ error: { param: 'documents' } });
  });
});
