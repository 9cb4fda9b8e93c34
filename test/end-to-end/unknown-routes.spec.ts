import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorld, type World } from './quipu.harness.js';

describe('an answer', () => {
  let world: World;

  const ask = (path: string, method: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(world.quipu.url + path, {
      method,
      headers: { authorization: `Bearer ${world.credentials.api_key}`, ...headers },
    });

  beforeAll(async () => {
    world = await startWorld([]);
  });

  afterAll(() => world.close());

  it.each([
    ['POST', '/v1/v1/chat/completions', 'try POST /v1/chat/completions'],
    ['GET', '/v1/v1/models', 'try GET /v1/models'],
    ['POST', '/v1/v1/messages', 'try POST /v1/messages'],
  ])('to %s %s says that the prefix is there twice', async (method, path, hint) => {
    const response = await ask(path, method);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: 'not_found', message: expect.stringContaining(hint) },
    });
  });

  it.each([
    ['POST', '/v1/messages', {}],
    ['POST', '/v1/messages', { authorization: 'Bearer sk-svc-none' }],
    ['POST', '/v1/messages/count_tokens', {}],
    ['GET', '/v1/messages', {}],
    ['GET', '/v1/messages/unknown', {}],
    ['GET', '/v1/messages/%', {}],
  ])('to %s %s names the request as Anthropic does (%j)', async (method, path, headers) => {
    const response = await ask(path, method, headers);
    expect(response.status).toBeGreaterThanOrEqual(400);
    const id = response.headers.get('request-id');
    expect(id).toBe(response.headers.get('x-request-id'));
    expect(await response.json()).toMatchObject({ type: 'error', request_id: id });
  });
});
