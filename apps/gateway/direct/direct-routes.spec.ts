import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { type DirectHandler, DirectRoutes } from './direct-routes.js';

describe('direct routes', () => {
  let server: FastifyInstance;
  let handle: DirectHandler;

  beforeEach(() => {
    server = fastify();
    handle = async (request, reply, readBody) => {
      await readBody(request, reply);
      void reply.send({ direct: request.body });
    };
    const routes = new DirectRoutes();
    routes.add({
      urls: ['/chat'],
      takes: ({ headers }) => headers['idempotency-key'] === undefined,
      handle: (...exchange) => handle(...exchange),
    });
    server.addHook('onRoute', (route) =>
      routes.wrap(route, {
        readBody: async (request) => {
          request.body = await Promise.resolve('read');
        },
        fail: (error, _request, reply) => void reply.status(418).send({ error: String(error) }),
      }),
    );
    for (const method of ['GET', 'POST'] as const)
      for (const url of ['/chat', '/other'])
        server.route({ method, url, handler: () => ({ nest: true }) });
  });

  afterEach(() => server.close());

  const post = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const { statusCode, body } = await server.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{}',
    });
    return { statusCode, body: JSON.parse(body) as unknown };
  };

  it('answers a request that the route takes', async () => {
    expect(await post('/chat')).toEqual({ statusCode: 200, body: { direct: 'read' } });
  });

  it('leaves other requests, methods and addresses to the route', async () => {
    const nest = { statusCode: 200, body: { nest: true } };
    expect(await post('/chat', { 'idempotency-key': 'one' })).toEqual(nest);
    expect(await post('/chat', { 'content-type': 'APPLICATION/JSON; a=b' })).toEqual(nest);
    expect(await post('/other')).toEqual(nest);
    expect((await server.inject('/chat')).json()).toEqual(nest.body);
  });

  it('leaves the hooks before the route to every request', async () => {
    server.addHook('onRequest', (_request, reply, done) => {
      void reply.header('x-hook', 'ran');
      done();
    });
    const { headers } = await server.inject({ method: 'POST', url: '/chat', payload: {} });
    expect(headers['x-hook']).toBe('ran');
  });

  it.each([
    ['throws', () => Promise.reject(new Error('broken'))],
    [
      'throws before its promise',
      () => {
        throw new Error('broken');
      },
    ],
  ])('hands over what a handler %s', async (_, broken: DirectHandler) => {
    handle = broken;
    expect(await post('/chat')).toEqual({ statusCode: 418, body: { error: 'Error: broken' } });
  });
});
