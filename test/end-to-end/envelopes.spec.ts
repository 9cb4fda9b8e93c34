import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, sse, statement } from '#areas/inference/rigs/upstream.fake.js';
import { chatRequest, MODEL, startWorld, type World } from './quipu.harness.js';
import { RawConnection } from './raw-connection.js';

const CHAT = ['/v1/chat/completions', '/api/v1/chat/completions'];
const BODY_LIMIT = 4_096;

const openAi = (code: string) => ({
  error: {
    message: expect.any(String),
    type: expect.any(String),
    code,
  },
});

const application = (code: string) => ({
  success: false,
  message: expect.any(String),
  code,
});

const DEPTH = 200_000;
/** A completion in valid JSON, too deep for a recursive writer. */
const NESTED = `{"choices":[${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}],"usage":${JSON.stringify(
  statement(9, 3),
)}}`;

interface Case {
  readonly what: string;
  readonly status: number;
  readonly code: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const chat = (body: object): string => JSON.stringify({ ...chatRequest(), ...body });

/** The failures of every chat route, with the expected answers. */
const CHAT_FAILURES: readonly Case[] = [
  {
    what: 'no credential',
    status: 401,
    code: 'missing_credentials',
    headers: { authorization: '' },
  },
  {
    what: 'an unknown key',
    status: 401,
    code: 'invalid_api_key',
    headers: { authorization: 'Bearer sk-svc-unknown' },
  },
  { what: 'bad JSON', status: 400, code: 'invalid_json', body: '{"model":' },
  { what: 'no body', status: 400, code: 'invalid_request', body: '' },
  {
    what: 'plain text',
    status: 415,
    code: 'unsupported_media_type',
    headers: { 'content-type': 'text/plain' },
  },
  { what: 'a body that is no object', status: 400, code: 'invalid_request', body: '[]' },
  {
    what: 'too large a body',
    status: 413,
    code: 'body_too_large',
    body: chat({ user: 'u'.repeat(BODY_LIMIT) }),
  },
  {
    what: 'another media type',
    status: 415,
    code: 'unsupported_media_type',
    headers: { 'content-type': 'text/csv' },
  },
  { what: 'no messages', status: 400, code: 'invalid_request', body: chat({ messages: [] }) },
  {
    what: 'an unknown role',
    status: 400,
    code: 'invalid_request',
    body: chat({ messages: [{ role: 'x', content: '' }] }),
  },
  {
    what: 'an unknown routing mode',
    status: 400,
    code: 'invalid_request',
    body: chat({ routing_mode: 'psychic' }),
  },
  {
    what: 'a mode of clean rooms without a room',
    status: 400,
    code: 'invalid_request',
    body: chat({ routing_mode: 'cleanroom_fhe_eval' }),
  },
  {
    what: 'a clean room without a mode for it',
    status: 400,
    code: 'invalid_request',
    body: chat({ cleanroom_uuid: '0198c0de-0000-7000-8000-000000000001' }),
  },
  {
    what: 'an unknown rig',
    status: 404,
    code: 'rig_not_found',
    body: chat({ routing_mode: 'rig_nowhere' }),
  },
  {
    what: 'an unknown model',
    status: 404,
    code: 'model_not_found',
    body: chat({ model: 'acme/none' }),
  },
  {
    what: 'a temperature out of range',
    status: 400,
    code: 'invalid_request',
    body: chat({ temperature: 2.1 }),
  },
  {
    what: 'too many tokens',
    status: 400,
    code: 'context_length_exceeded',
    body: chat({ max_tokens: 9_000 }),
  },
];

describe('failure envelopes', () => {
  let world: World;

  const ask = (path: string, { method = 'POST', headers = {}, body = chat({}) }: Partial<Case>) =>
    fetch(world.quipu.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${world.credentials.api_key}`,
        ...headers,
      },
      ...(method === 'POST' && { body }),
    });

  beforeAll(async () => {
    world = await startWorld([json(200, {})], {
      environment: { QUIPU_BODY_LIMIT_BYTES: String(BODY_LIMIT) },
    });
  });

  afterAll(() => world.close());

  describe.each(CHAT)('%s', (path) => {
    it.each(CHAT_FAILURES)('$what → $status $code', async ({ status, code, ...sent }) => {
      const response = await ask(path, sent);
      expect(await response.json()).toMatchObject(openAi(code));
      expect(response.status).toBe(status);
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  it.each([
    ['/v1/nothing', openAi('not_found')],
    ['/v1/models/acme/none', openAi('model_not_found')],
    ['/api/v1/nothing', application('not_found')],
    ['/nothing', application('not_found')],
    ['/v1/%', openAi('bad_url')],
  ])('GET %s fails in the envelope of its route', async (path, expected) => {
    const response = await ask(path, { method: 'GET' });
    expect(await response.json()).toMatchObject(expected);
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ['GET', '/v1/chat/completions', 'POST', openAi('method_not_allowed')],
    ['DELETE', '/v1/models', 'GET, HEAD', openAi('method_not_allowed')],
    ['PATCH', '/v1/models/acme/none?x=1', 'DELETE, GET, HEAD', openAi('method_not_allowed')],
    ['PUT', '/api/v1/auth/login', 'POST', application('method_not_allowed')],
    ['POST', '/docs/swagger-ui.css', 'GET, HEAD', application('method_not_allowed')],
    ['PROPFIND', '/health/live', 'GET, HEAD', application('method_not_allowed')],
  ])('%s %s fails with the methods of the path', async (method, path, allow, expected) => {
    const response = await ask(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toMatchObject(expected);
  });

  it.each(['/v1/chat', '/v1/models/', '/api/v1/auth/login/', '/docs/a/b'])(
    'POST %s is an unknown path',
    async (path) => {
      expect((await ask(path, {})).status).toBe(404);
    },
  );

  it.each([
    ['/v1/models', openAi('malformed_request')],
    ['/health/live', application('malformed_request')],
  ])('GET %s with two Host headers fails', async (path, body) => {
    const connection = await RawConnection.open(world.quipu.url);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: one\r\nx: y\r\nhost: two\r\n\r\n`);
    expect(await connection.answer()).toMatchObject({ status: 400, body });
    connection.destroy();
  });

  it.each([
    ['/v1/models', openAi('expectation_failed')],
    ['/health/live', application('expectation_failed')],
  ])('GET %s with an unknown expectation fails', async (path, body) => {
    const connection = await RawConnection.open(world.quipu.url);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: quipu\r\nExpect: knots\r\n\r\n`);
    expect(await connection.answer()).toMatchObject({
      status: 417,
      body,
      headers: { 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) },
    });
    connection.destroy();
  });

  it('rejects bad credentials on application routes in their envelope', async () => {
    const response = await ask('/api/v1/billing/overview.php', {
      method: 'GET',
      headers: { authorization: 'Bearer sk-svc-unknown' },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject(application('invalid_api_key'));
  });

  it('sends the security headers with every answer and failure', async () => {
    for (const path of ['/health/live', '/v1/nothing', '/nothing']) {
      const { headers } = await ask(path, { method: 'GET' });
      expect(headers.get('strict-transport-security')).toBe(
        'max-age=31536000; includeSubDomains; preload',
      );
      expect(headers.get('content-security-policy')).toContain('frame-ancestors');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each([
    ['bytes that are not HTTP', 'knots\r\n\r\n', 400, 'malformed_request'],
    [
      'headers beyond measure',
      `GET /v1/models HTTP/1.1\r\nhost: q\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('answers %s in the envelope, and continues', async (_, bytes, status, code) => {
    const { hostname, port } = new URL(world.quipu.url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const answer = (await Array.fromAsync(socket)).join('');
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject(openAi(code));
    expect((await ask('/health/live', { method: 'GET' })).status).toBe(200);
  });
});

describe('a caller above its rate', () => {
  it.each([
    ['QUIPU_KEY_REQUESTS_PER_MINUTE', 'key'],
    ['QUIPU_ACCOUNT_REQUESTS_PER_MINUTE', 'account'],
  ])('is refused before anything is written: %s', async (variable, source) => {
    const world = await startWorld([json(500, {})], { environment: { [variable]: '2' } });
    const headers = { authorization: `Bearer ${world.credentials.api_key}` };
    try {
      expect((await fetch(`${world.quipu.url}/v1/models`, { headers })).status).toBe(200);
      expect((await fetch(`${world.quipu.url}/v1/models`, { headers })).status).toBe(200);
      const before = await world.events();
      const failed = await fetch(`${world.quipu.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'k-1' },
        body: JSON.stringify(chatRequest()),
      });
      expect(failed.status).toBe(429);
      expect(Number(failed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await failed.json()).toMatchObject({
        error: {
          type: 'rate_limit_error',
          code: 'rate_limit_exceeded',
          metadata: { limit_source: source, requests_per_minute: 2 },
        },
      });
      const overview = `${world.quipu.url}/api/v1/billing/overview.php`;
      const application = await fetch(overview, { headers });
      expect(application.status).toBe(429);
      expect(await application.json()).toMatchObject({
        success: false,
        code: 'rate_limit_exceeded',
      });
      expect(await world.events()).toHaveLength(before.length);
      expect(world.upstream.received).toEqual([]);
    } finally {
      await world.close();
    }
  });
});

describe('failures of the upstream', () => {
  it('while every rig is down, a request is refused before anything is written', async () => {
    const world = await startWorld([json(500, {})]);
    const ask = () =>
      fetch(`${world.quipu.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${world.credentials.api_key}`,
        },
        body: JSON.stringify(chatRequest()),
      });
    try {
      // Three attempts each; five failures open the breaker.
      await ask();
      await ask();
      const before = await world.events();
      const refused = await ask();
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await refused.json()).toMatchObject(openAi('rigs_down'));
      expect(await world.events()).toHaveLength(before.length);
      expect(world.upstream.received).toHaveLength(5);
    } finally {
      await world.close();
    }
  });

  it('cannot be caused by a field that is the operator’s', async () => {
    const world = await startWorld([json(200, {})]);
    try {
      const before = await world.events();
      for (const [param, value] of Object.entries({ best_of: 4, priority: -1, n_predict: 9_999 })) {
        const failed = world.openai.chat.completions.create(chatRequest({ [param]: value }));
        const code = 'unsupported_parameter';
        await expect(failed).rejects.toMatchObject({ status: 400, code, param });
      }
      expect(await world.events()).toHaveLength(before.length);
      expect(world.upstream.received).toEqual([]);
    } finally {
      await world.close();
    }
  });

  it.each([
    [
      'an error of the request passes through',
      json(422, { error: { message: 'no', type: 't', param: 'tools', code: 'c' } }),
      422,
      'c',
    ],
    [
      'a key that is refused is not the caller’s',
      json(401, { error: { message: 'bad key' } }),
      502,
      'upstream_rejected_gateway',
    ],
    ['a broken answer', json(200, 'knots'), 502, 'upstream_malformed'],
    ['an answer that is not JSON', sse(['data: x\n\n']), 502, 'upstream_malformed'],
    ['an answer nested too deep', json(200, NESTED), 502, 'upstream_malformed'],
  ])('%s', async (_, script, status, code) => {
    const world = await startWorld([script]);
    try {
      const failed = world.openai.chat.completions.create(chatRequest());
      await expect(failed).rejects.toMatchObject({ status, code });
      const types = (await world.events()).map(({ type }) => type);
      expect(types.slice(-2)).toEqual(['HoldPlaced', 'HoldReleased']);
    } finally {
      await world.close();
    }
  });

  it('after the first byte becomes an error chunk, and the delivered part is charged', async () => {
    const first = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Knots' }, finish_reason: null }],
    };
    const world = await startWorld([sse([`data: ${JSON.stringify(first)}\n\n`], 'destroy')]);
    try {
      const stream = await world.openai.chat.completions.create({ ...chatRequest(), stream: true });
      await expect(Array.fromAsync(stream)).rejects.toThrow();
      const last = (await world.events()).at(-1);
      expect(last).toMatchObject({
        type: 'HoldCaptured',
        data: {
          outcome: 'upstream_failed',
          usageSource: 'counted',
          evidence: { models: { asked: MODEL } },
        },
      });
    } finally {
      await world.close();
    }
  });
});
