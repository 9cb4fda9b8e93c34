import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RuntimeReport } from '#apps/operations/runtime.readiness.js';
import { storedEventValidator } from '../golden/stored-event.validator.js';
import { deltaOf, eventOf, sse } from '#areas/inference/rigs/upstream.fake.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';
import { asOperator } from '#apps/operations/operations.fixture.js';

interface OpenApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly responses: object;
          readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
        };
      }
    >
  >;
}

describe('operations', () => {
  let world: World;
  const get = (route: string) => fetch(world.quipu.url + route, asOperator);

  beforeAll(async () => {
    world = await startWorld([answering('Knots', '.')]);
    await world.openai.chat.completions.create(chatRequest());
  });

  afterAll(() => world.close());

  it('has the credentials of the first start in a file', () => {
    expect(Object.keys(world.credentials).sort()).toEqual([
      'api_key',
      'api_key_scopes',
      'password',
      'renter_key',
      'username',
    ]);
  });

  it('is live, and ready without lag or stopped projections', async () => {
    expect(await (await get('/health/live')).json()).toEqual({ status: 'live' });
    const response = await get('/health/ready');
    const report = (await response.json()) as RuntimeReport;
    expect(response.status).toBe(200);
    expect(report).toMatchObject({
      status: 'ready',
      reasons: [],
      details: [],
      event_store: { writable: true, reason: null },
    });
    expect(report.projections.length).toBeGreaterThan(3);
    for (const { phase } of report.projections) expect(phase).not.toBe('stopped');
  });

  it('shows no more than that without the operations token', async () => {
    const ready = await fetch(`${world.quipu.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ready' });
    const key = { headers: { authorization: `Bearer ${world.credentials.api_key}` } };
    expect(await (await fetch(`${world.quipu.url}/health/ready`, key)).json()).toEqual({
      status: 'ready',
    });
    expect((await fetch(`${world.quipu.url}/metrics`, key)).status).toBe(401);
  });

  it('has metrics with the names of the GenAI conventions', async () => {
    const text = await (await get('/metrics')).text();
    expect(text).toMatch(/gen_ai_client_token_usage_sum\{.*input.*\} 9/);
    expect(text).toContain('gen_ai_server_request_duration_seconds_count');
    expect(text).toMatch(/quipu_charged_micro_usd_total\{.*\} 13/);
    expect(text).toMatch(/quipu_reader_stopped\{reader="account-overview[^"]*"\} 0/);
  });

  it('documents every route, with failures and examples', async () => {
    const document = (await (await get('/openapi.json')).json()) as OpenApiDocument;
    const paths = Object.keys(document.paths);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/v1/chat/completions',
        '/api/v1/chat/completions',
        '/v1/models',
        '/api/v1/auth/login',
        '/api/v1/auth/verify_2fa',
        '/api/v1/auth/me',
        '/api/v1/auth/revoke',
        '/api/v1/billing/overview.php',
        '/api/v1/billing/invoices.php',
        '/api/v1/billing/rates.php',
        '/health/live',
        '/health/ready',
        '/metrics',
      ]),
    );
    const post = document.paths['/v1/chat/completions']?.post;
    expect(Object.keys(post?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '402', '501']),
    );
    expect(post?.requestBody?.content['application/json']).toBeDefined();
    expect(await (await get('/docs')).text()).toContain('SwaggerUIBundle');
    expect((await get('/docs/swagger-ui.css')).status).toBe(200);
    expect((await get('/docs/package.json')).status).toBe(404);
  });

  it('says at / what this is and where to go, without a script', async () => {
    const response = await get('/');
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('<h1>Quipu</h1>');
    expect(page).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(['/console', '/docs/guide', '/docs', '/openapi.json', '/health/ready']);
    const answers = await Promise.all(links.map(async (link) => (await get(link)).status));
    // The guide is built by a command of its own, which the page names.
    expect(page).toContain('npm run docs');
    expect([
      [200, 200, 200, 200, 200],
      [200, 404, 200, 200, 200],
    ]).toContainEqual(answers);
  });

  it('stores events that fit the published schemas', async () => {
    const validate = await storedEventValidator();
    const events = await world.events();
    expect(events.flatMap((event) => validate(event))).toEqual([]);
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(6);
  });

  it('stores no prompt and no reply in events', async () => {
    const text = JSON.stringify((await world.events()).map(({ data }) => data));
    expect(text).not.toContain('Tell me of knots');
    expect(text).not.toContain('Knots.');
  });
});

describe('a graceful stop', () => {
  it('finishes open streams, rejects new requests with Retry-After, settles holds', async () => {
    let finish: () => void = () => undefined;
    const words = ['Knots', ' keep', ' accounts'];
    const world = await startWorld([
      (response, received) => {
        sse([deltaOf({ role: 'assistant', content: '' })].map(eventOf), 'hang')(response, received);
        finish = () => {
          for (const content of words) response.write(eventOf(deltaOf({ content })));
          response.write(eventOf(deltaOf({}, 'stop')));
          response.end('data: [DONE]\n\n');
        };
      },
    ]);
    try {
      const stream = await world.openai.chat.completions.create({ ...chatRequest(), stream: true });
      const answer = Array.fromAsync(stream);
      const stopping = world.quipu.stop();
      await eventually(async () => {
        const late = await fetch(`${world.quipu.url}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${world.credentials.api_key}`,
          },
          body: JSON.stringify(chatRequest()),
        });
        return late.status === 503 && late.headers.get('retry-after') !== null;
      });
      finish();
      const chunks = await answer;
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
        'Knots keep accounts',
      );
      await stopping;
    } finally {
      await world.close();
    }
  });
});
