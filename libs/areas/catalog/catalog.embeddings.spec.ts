import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from './catalog.parser.js';

const modelsOf = (model: string) =>
  parseCatalog(
    `{ rigs: [{ name: up, kind: openai, base_url: 'http://h/v1' }], models: [${model}] }`,
    '/etc/quipu/catalog.yaml',
  ).models;

const PRICE = 'price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 }';

describe('an embedding model in a catalog', () => {
  it('has no price of output', () => {
    const fields = '{ id: e, owned_by: a, rigs: [up], context: 512, kind: embedding';
    const price = 'price: { input_usd_per_mtok: 1 }';
    expect(modelsOf(`${fields}, dimensions: 3, ${price} }`)).toMatchObject([
      {
        kind: 'embedding',
        dimensions: 3,
        maxOutputTokens: 0,
        price: { inputMicroUsdPerMtok: '1000000', outputMicroUsdPerMtok: '0' },
      },
    ]);
    expect(modelsOf(`${fields}, ${price} }`)).toMatchObject([{ dimensions: null }]);
  });

  it.each(['rerank', 'moderation'])('of kind %s is served by rigs of kind openai only', (kind) => {
    const model = (rig: string, more = '') =>
      `{ id: e, owned_by: a, rigs: [${rig}], context: 512, kind: ${kind}, ` +
      `price: { input_usd_per_mtok: 1 }${more} }`;
    expect(modelsOf(model('up'))).toMatchObject([{ kind, maxOutputTokens: 0 }]);
    expect(() => modelsOf(model('up', ', max_output: 5'))).toThrow('is for chats');
    expect(() =>
      parseCatalog(
        `{ rigs: [{ name: here, kind: embedded }], models: [${model('here', ', file: /m.gguf')}] }`,
        '/etc/quipu/catalog.yaml',
      ),
    ).toThrow('must be a rig of kind openai');
  });

  it.each([
    ['an output bound', 'kind: embedding, max_output: 5', PRICE, 'is for chats'],
    ['the dimensions of a chat', 'dimensions: 3', PRICE, 'is for models of kind embedding'],
    ['too many dimensions', 'kind: embedding, dimensions: 16385', PRICE, 'at most 16384'],
    ['a chat without a price', 'kind: chat', 'price: { input_usd_per_mtok: 1 }', 'is missing'],
    ['another kind', 'kind: image', PRICE, 'kind'],
  ])('is rejected with %s', (_, fields, price, problem) => {
    const model = `{ id: e, owned_by: a, rigs: [up], context: 512, ${fields}, ${price} }`;
    expect(() => modelsOf(model)).toThrow(problem);
  });
});
