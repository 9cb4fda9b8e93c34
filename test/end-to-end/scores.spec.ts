import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { json, type Received } from '#areas/inference/rigs/upstream.fake.js';
import { KEY, type OpenAiFake, startOpenAiFake } from '../providers/openai/openai.fake.js';
import { eventsOf, startWorld, type World } from './quipu.harness.js';

/** A token costs a micro-dollar, a search two thousand. */
const catalogOf = (baseUrl: string, provider: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl} }
  - { name: openai, kind: openai, base_url: ${provider},
      headers: { authorization: 'Bearer ${KEY}' } }
models:
  - { id: chats, owned_by: acme, rigs: [scripted], context: 512,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
  - { id: ranker, kind: rerank, upstream_id: ranker-1, owned_by: acme, rigs: [scripted],
      context: 512, price: { input_usd_per_mtok: 1, search_usd_per_thousand: 2 } }
  - { id: judge, kind: moderation, upstream_id: omni-moderation-latest, owned_by: openai,
      rigs: [openai], context: 8192, price: { input_usd_per_mtok: 1 } }
`;

/** The last document is the nearest; searches as Cohere states them, tokens as Jina does. */
const rank = (response: Parameters<ReturnType<typeof json>>[0], received: Received): void => {
  const { documents, user } = received.body as { documents: readonly string[]; user?: string };
  const results = documents.map((_, index) => ({ index, relevance_score: index / 10 }));
  const stated = {
    cohere: { meta: { billed_units: { search_units: 3 } } },
    jina: { usage: { total_tokens: 11 } },
    twice: { results: [...results, results[0]] },
  }[user ?? ''];
  json(200, { id: 'r-1', model: 'ranker-1b', results, ...stated })(response, received);
};

describe('models that judge', () => {
  let world: World;
  let provider: OpenAiFake;

  beforeAll(async () => {
    provider = await startOpenAiFake();
    world = await startWorld([rank], {
      catalogOf: (baseUrl) => catalogOf(baseUrl, provider.baseUrl),
    });
  });

  afterAll(async () => {
    await world.close();
    await provider.close();
  });

  const post = (body: object, address: string) =>
    request(world.quipu.url)
      .post(address)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send(body);

  /** Of the charges, the last one. */
  const lastCharge = async () =>
    (await world.events()).findLast(({ type }) => type === 'HoldCaptured');

  describe('rankings by an upstream', () => {
    const ranking = { model: 'ranker', query: 'aaaa', documents: ['bbbb', 'cccc', 'dddd'] };
    const rankingOf = (more: object) => post({ ...ranking, ...more }, '/v1/rerank');

    it('are in the order of its scores, at the price of its searches', async () => {
      const { body, headers } = await rankingOf({ user: 'cohere', top_n: 2 }).expect(200);
      expect(body).toMatchObject({
        model: 'ranker',
        usage: { total_tokens: 0, searches: 3 },
        results: [
          { index: 2, relevance_score: 0.2, document: { text: 'dddd' } },
          { index: 1, relevance_score: 0.1, document: { text: 'cccc' } },
        ],
      });
      expect(world.upstream.received.at(-1)).toMatchObject({
        path: '/v1/rerank',
        body: { model: 'ranker-1', query: 'aaaa', documents: ranking.documents, top_n: 2 },
      });
      const written = eventsOf(await world.events(), String(headers['x-request-id']));
      expect(written.map(({ type }) => type)).toEqual(['HoldPlaced', 'HoldCaptured']);
      // Eight bytes and eight around them for each document; one search held, so one charged.
      expect(written[0]?.data).toMatchObject({
        purpose: 'ranking',
        lines: [
          { meter: 'input_tokens', quantity: 48 },
          { meter: 'searches', quantity: 1, unitPriceMicroUsd: '2000000', perUnits: 1_000 },
        ],
      });
      expect(written[1]?.data).toMatchObject({
        purpose: 'ranking',
        amountMicroUsd: '2000',
        usageSource: 'provider',
        excess: [{ meter: 'searches', quantity: 2 }],
        evidence: {
          models: { asked: 'ranker', sent: 'ranker-1', answered: 'ranker-1b' },
          items: 3,
        },
      });
      expect(JSON.stringify(written.map(({ data }) => data))).not.toContain('bbbb');
    });

    it('cost the tokens that it states, or the least that they can be', async () => {
      await rankingOf({ user: 'jina' }).expect(200);
      expect(await lastCharge()).toMatchObject({ data: { amountMicroUsd: '11' } });
      await rankingOf({ return_documents: false }).expect(200);
      // Four texts of a token each, and a search.
      expect(await lastCharge()).toMatchObject({
        data: { amountMicroUsd: '2004', usageSource: 'counted' },
      });
    });

    it('are free where its answer is none', async () => {
      const { body } = await rankingOf({ user: 'twice' }).expect(502);
      expect(body).toMatchObject({ error: { code: 'upstream_malformed' } });
      expect((await world.events()).at(-1)).toMatchObject({ type: 'HoldReleased' });
    });
  });

  describe('moderations', () => {
    it('answer the client of OpenAI, and are charged', async () => {
      const { data, response } = await world.openai.moderations
        .create({ model: 'judge', input: ['A knot.', 'I will harm you.'] })
        .withResponse();
      expect(data).toMatchObject({
        id: 'modr-1',
        model: 'judge',
        results: [
          { flagged: false },
          { flagged: true, categories: { violence: true }, category_scores: { violence: 0.97 } },
        ],
      });
      const [, charge] = eventsOf(await world.events(), response.headers.get('x-request-id'));
      expect(charge).toMatchObject({
        type: 'HoldCaptured',
        data: {
          purpose: 'moderation',
          rig: 'openai',
          // One and two tokens at the least.
          amountMicroUsd: '3',
          usageSource: 'counted',
          evidence: { items: 2, models: { answered: 'omni-moderation-latest' } },
        },
      });
      expect(response.headers.get('x-quipu-cost-usd')).toBe('0.000003');
    });

    it('have the first model of the catalog by default, and one verdict on parts', async () => {
      const text = { type: 'text', text: 'A knot.' } as const;
      const url = `data:image/png;base64,${Buffer.from('a picture').toString('base64')}`;
      const image = { type: 'image_url', image_url: { url } } as const;
      const parts = { input: [text, image] };
      const { model, results } = await world.openai.moderations.create(parts);
      expect({ model, count: results.length }).toEqual({ model: 'judge', count: 1 });
      // An image is held for the context of the model.
      const holds = (await world.events()).filter(({ type }) => type === 'HoldPlaced');
      expect(holds.at(-1)?.data).toMatchObject({ lines: [{ quantity: 8_192 }] });
    });

    it.each([
      [{ input: [] }, 'input', /empty|list/],
      [{ input: ['a', 7] }, 'input[1]', /string/],
      [{ input: [{ type: 'text', text: '' }] }, 'input[0].text', /empty/],
      [{}, 'input', /must be a text/],
      [
        { input: [{ type: 'image_url', image_url: { url: 'http://10.0.0.1/a.png' } }] },
        'input[0].image_url.url',
        /public host/,
      ],
    ])('refuse %j by the name of the field', async (body, param, message) => {
      const { body: answer } = await post(body, '/api/v1/moderations').expect(400);
      expect(answer).toMatchObject({ error: { param, message: expect.stringMatching(message) } });
    });

    it('say what is missing where no model moderates', async () => {
      const { body } = await post({ model: 'chats', input: 'a' }, '/v1/moderations').expect(404);
      expect(body).toMatchObject({
        error: {
          code: 'moderation_model_not_found',
          message: expect.stringMatching(/chats is of another kind/),
        },
      });
    });
  });
});
