import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import {
  answering,
  chatRequest,
  eventsOf,
  scriptedCatalog,
  startWorld,
  type World,
} from './quipu.harness.js';

/** An answer from the cache costs a half. */
const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl)}meters: [{ meter: cached_micro_usd, usd: 0.5, per: 1000000 }]\n`;

describe('the response cache', () => {
  let world: World;
  let ada: CreatedUser;
  const commands = new CommandLine(() => world);
  const http = () => request(world.quipu.url);
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const ask = (key: string, seconds: string | undefined, body: object = {}) => {
    const asked = http().post('/v1/chat/completions').set(as(key));
    if (seconds !== undefined) void asked.set('x-quipu-cache', seconds);
    return asked.send(chatRequest({ ...body }));
  };
  const rigCalls = () => world.upstream.received.length;
  const chargeOf = async (requestId: unknown) => {
    const events = eventsOf(await world.events(), String(requestId));
    return events.find(({ type }) => type === 'HoldCaptured')?.data;
  };

  beforeAll(async () => {
    world = await startWorld([answering('Knots', '.')], { catalogOf });
    ada = await commands.createUser('ada', 'renter');
    await commands.result('account', 'credit', '--user', 'ada', '--usd', '1', '--reason', 'spec');
  });

  afterAll(() => world.close());

  it('answers a repeat at the stated share, in an event that names the first request', async () => {
    const first = await ask(ada.api_key, '60').expect(200);
    const calls = rigCalls();
    const second = await ask(ada.api_key, '60').expect(200);
    expect(rigCalls()).toBe(calls);
    expect(second.text).toBe(first.text);
    expect(second.headers).toMatchObject({
      'x-quipu-cache': 'hit',
      'x-quipu-attempts': '0',
      'x-quipu-cost-usd': '0.000007',
    });
    expect(second.headers).not.toHaveProperty('x-quipu-rig');
    // Half of 9 tokens of input at 1 and 2 of output at 2 micro-dollars, rounded up.
    expect(await chargeOf(second.headers['x-request-id'])).toMatchObject({
      purpose: 'cached_chat',
      amountMicroUsd: '7',
      evidence: {
        original: { requestId: first.headers['x-request-id'], chargedMicroUsd: '13' },
        savedMicroUsd: '6',
      },
    });
  });

  it('answers a stream as a stream, chunk by chunk', async () => {
    const body = { stream: true, stream_options: { include_usage: true } };
    const dataOf = (text: string) => text.split('\n\n').filter((line) => line.startsWith('data:'));
    const first = await ask(ada.api_key, '60', body).expect(200);
    const calls = rigCalls();
    const second = await ask(ada.api_key, '60', body).expect(200);
    expect(rigCalls()).toBe(calls);
    expect(second.headers['content-type']).toContain('text/event-stream');
    expect(dataOf(second.text)).toEqual(dataOf(first.text));
    expect(dataOf(second.text).at(-1)).toBe('data: [DONE]');
  });

  it('never answers another account, whatever it sends', async () => {
    await ask(ada.api_key, '60').expect(200);
    const calls = rigCalls();
    const other = await ask(world.credentials.api_key, '60').expect(200);
    expect(other.headers).not.toHaveProperty('x-quipu-cache');
    expect(rigCalls()).toBe(calls + 1);
    const forged = { user: String(ada.user_id), account_id: String(ada.user_id) };
    const tried = await ask(world.credentials.api_key, '60', forged);
    expect(tried.headers).not.toHaveProperty('x-quipu-cache');
  });

  it('is used on request: by the header, or by the key', async () => {
    await ask(ada.api_key, '60').expect(200);
    const plain = await ask(ada.api_key, undefined).expect(200);
    expect(plain.headers).not.toHaveProperty('x-quipu-cache');
    const { body } = await http()
      .post('/api/v1/auth/keys')
      .set(as(ada.api_key))
      .send({ name: 'cached', cache_seconds: 60 })
      .expect(201);
    expect(body).toMatchObject({ key: { cache_seconds: 60 } });
    const rotated = await http()
      .post(`/api/v1/auth/keys/${String(body.key.id)}/rotate`)
      .set(as(ada.api_key))
      .expect(201);
    expect(rotated.body).toMatchObject({ key: { name: 'cached', cache_seconds: 60 } });
    const key = String(rotated.body.api_key);
    expect((await ask(key, undefined).expect(200)).headers).toMatchObject({
      'x-quipu-cache': 'hit',
    });
    expect((await ask(key, '0').expect(200)).headers).not.toHaveProperty('x-quipu-cache');
    const listed = await http().get('/api/v1/auth/keys').set(as(ada.api_key)).expect(200);
    const keys = (listed.body as { keys: { name: string; cache_seconds: number | null }[] }).keys;
    expect(keys.find(({ name }) => name === 'cached')).toMatchObject({ cache_seconds: 60 });
    expect(keys.find(({ name }) => name !== 'cached')).toMatchObject({ cache_seconds: null });
  });

  it('serves the other interfaces, too', async () => {
    const message = () =>
      http()
        .post('/v1/messages')
        .set(as(ada.api_key))
        .set('anthropic-version', '2023-06-01')
        .set('x-quipu-cache', '60')
        .send({ ...chatRequest(), max_tokens: 50 });
    const first = await message().expect(200);
    const second = await message().expect(200);
    expect(second.headers).toMatchObject({ 'x-quipu-cache': 'hit' });
    const { content, usage } = second.body as { content: unknown; usage: unknown };
    expect({ content, usage }).toEqual({
      content: (first.body as { content: unknown }).content,
      usage: (first.body as { usage: unknown }).usage,
    });
  });

  it.each(['-1', '1.5', 'yes', '86401'])('refuses x-quipu-cache: %s', async (seconds) => {
    const { body } = await ask(ada.api_key, seconds).expect(400);
    expect(body).toMatchObject({ error: { param: 'x-quipu-cache' } });
  });
});
