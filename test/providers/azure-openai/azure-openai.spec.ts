import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { APIError, AzureOpenAI } from 'openai';
import { RigError } from '#areas/inference/rigs/chat-backend.js';
import {
  azureKey,
  azureOpenAiDialect,
} from '#areas/inference/rigs/dialects/azure-openai/azure-openai.dialect.js';
import { entraCredential } from '#areas/inference/rigs/dialects/azure-openai/entra-credential.js';
import { keyCredential } from '#areas/inference/rigs/dialects/credentials.js';
import { type Credential } from '#areas/inference/rigs/dialects/dialect.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import { createHttpRig } from '#areas/inference/rigs/http-rig.js';
import { drain, never, requestOf, textOf } from '#areas/inference/rigs/upstream.fake.js';
import { openAiError, type OpenAiFake } from '../openai/openai.fake.js';
import {
  AZURE_KEY,
  CLIENT,
  type EntraFake,
  filtered,
  SCOPE,
  startAzureFake,
  startEntraFake,
  TENANT,
} from './azure-openai.fake.js';

const API_VERSION = '2024-10-21';
const MODEL = 'our chat';
const chat = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] };

let entra: EntraFake;
let fake: OpenAiFake;

beforeAll(async () => {
  entra = await startEntraFake();
  const deployments = { [MODEL]: 'gpt-4.1', vectors: 'text-embedding-3-small' };
  fake = await startAzureFake({ deployments, entra });
});

beforeEach(() => fake.reply({ message: { content: 'Knots keep accounts.' } }));

afterAll(async () => {
  await fake.close();
  await entra.close();
});

const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (cause: unknown) => cause,
  );

describe("Azure's fake, called by OpenAI's SDK", () => {
  const client = (more: object = {}) =>
    new AzureOpenAI({
      endpoint: fake.url,
      apiKey: AZURE_KEY,
      apiVersion: API_VERSION,
      deployment: MODEL,
      maxRetries: 0,
      ...more,
    });
  const ask = (azure: AzureOpenAI, more: object = {}) =>
    azure.chat.completions.create({ ...(chat as { model: string; messages: [] }), ...more });

  it('answers a deployment', async () => {
    const { choices } = await ask(client());
    expect(choices[0]?.message.content).toBe('Knots keep accounts.');
  });

  it.each<[string, number, object, object]>([
    ['a wrong key', 401, { apiKey: 'other' }, {}],
    ['an unknown version', 404, { apiVersion: '2020-01-01' }, {}],
    ['an unknown deployment', 404, { deployment: 'none' }, {}],
    ['an unknown field', 400, {}, { routing_mode: 'auto' }],
    ['both bounds', 400, {}, { max_tokens: 1, max_completion_tokens: 1 }],
  ])('refuses %s', async (_, status, options, more) => {
    const error = await errorOf(ask(client(options), more));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status });
  });
});

describe('a rig of the kind azure-openai', () => {
  const rigWith = (credential: Credential): RigBackend =>
    createHttpRig({
      name: 'azure',
      baseUrl: fake.url,
      maxConcurrency: 4,
      dialect: azureOpenAiDialect(API_VERSION),
      credentials: [credential],
    });
  const byKey = () => rigWith(keyCredential('azure', { key: AZURE_KEY }, azureKey));
  const byEntra = (now = Date.now, secret: string = CLIENT.secret) =>
    rigWith(
      entraCredential({
        rig: 'azure',
        tenant: TENANT,
        clientId: CLIENT.id,
        clientSecret: { key: secret },
        scope: SCOPE,
        authority: entra.url,
        clock: { now },
      }),
    );

  it('asks a deployment by its name, with a key, whole and as a stream', async () => {
    const rig = byKey();
    const { completion, usage } = await rig.complete(requestOf({ model: MODEL }), never);
    const streamed = await drain(rig.stream(requestOf({ model: MODEL }), never));
    expect(textOf(streamed.chunks)).toBe('Knots keep accounts.');
    expect(streamed.usage).toEqual(usage);
    expect(completion['choices']).toMatchObject([{ message: { content: 'Knots keep accounts.' } }]);
    expect(fake.received.at(-1)?.path).toBe('/openai/deployments/our%20chat/chat/completions');
    await rig.close();
  });

  it('makes embeddings', async () => {
    const rig = byKey();
    const body = { model: 'vectors', input: ['a', 'b'] };
    const answer = await rig.embed?.({ body, promptTokensMax: 100 }, never);
    expect(answer).toMatchObject({
      vectors: [
        [0.6, 0.8],
        [0.6, 0.8],
      ],
    });
    await rig.close();
  });

  it('names the filter that has stopped a prompt', async () => {
    const rig = byKey();
    fake.reply(filtered('jailbreak'));
    const error = await errorOf(rig.complete(requestOf({ model: MODEL }), never));
    expect(error).toBeInstanceOf(RigError);
    expect(error).toMatchObject({
      kind: 'refused',
      details: { upstreamError: { code: 'content_filter', param: 'messages' } },
    });
    expect((error as RigError).details.upstreamError?.['message']).toMatch(/: jailbreak$/);
    await rig.close();
  });

  it('waits as Azure asks for', async () => {
    const rig = byKey();
    fake.reply(openAiError(429, '429', 'Try again.', {}, { 'retry-after-ms': '250' }));
    const error = await errorOf(rig.complete(requestOf({ model: MODEL }), never));
    expect(error).toMatchObject({ kind: 'overloaded', details: { retryAfterMs: 250 } });
    await rig.close();
  });

  it('fetches one token for all requests, and the next one before its end', async () => {
    let nowMs = 0;
    const rig = byEntra(() => nowMs);
    const fetched = () => entra.received.length;
    const before = fetched();
    const ask = () => rig.complete(requestOf({ model: MODEL }), never);
    await Promise.all([ask(), ask(), ask()]);
    expect(fetched()).toBe(before + 1);
    nowMs = 3_299_999 - 1_000;
    await ask();
    expect(fetched()).toBe(before + 1);
    nowMs = 3_300_000;
    await Promise.all([ask(), ask(), ask()]);
    expect(fetched()).toBe(before + 2);
    await rig.close();
  });

  it('fetches another token when one is revoked', async () => {
    const rig = byEntra();
    await rig.complete(requestOf({ model: MODEL }), never);
    entra.revokeAll();
    await rig.complete(requestOf({ model: MODEL }), never);
    const { chunks } = await drain(rig.stream(requestOf({ model: MODEL }), never));
    expect(textOf(chunks)).toBe('Knots keep accounts.');
    await rig.close();
  });

  it('says that Entra refuses its client, and shows no secret', async () => {
    const rig = byEntra(Date.now, 'a wrong secret');
    const error = await errorOf(rig.complete(requestOf({ model: MODEL }), never));
    expect(error).toMatchObject({ kind: 'failed' });
    expect(String(error)).toContain('issued no token: status 401 (invalid_client)');
    expect(JSON.stringify(error)).not.toContain('a wrong secret');
    await rig.close();
  });
});
