import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventParser, follow, type ServerEvent } from './server-events.js';

describe('the parser of server-sent events', () => {
  const text =
    ': a comment\n\nid: 7\nevent: head\ndata: {"a":1}\n\ndata: one\ndata: two\n\nid: 8\n';

  it.each([1, 2, 5, text.length])('takes pieces of %i characters', (length) => {
    const parse = eventParser();
    const found: ServerEvent[] = [];
    for (let at = 0; at < text.length; at += length)
      found.push(...parse(text.slice(at, at + length)));
    expect(found).toEqual([
      { id: '7', name: 'head', data: '{"a":1}' },
      { id: null, name: 'message', data: 'one\ntwo' },
    ]);
  });
});

describe('following a route', () => {
  let server: Server;
  let route: string;
  let asked: (string | undefined)[];
  let answer: (response: ServerResponse, attempt: number) => void;

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      answer(response, asked.length);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    route = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const followed = async (after: string | null, isLast: (event: ServerEvent) => boolean) => {
    const events: ServerEvent[] = [];
    const connections: string[] = [];
    await follow({
      ...{ route, after, isLast, signal: new AbortController().signal },
      onEvent: (event) => events.push(event),
      onConnection: (connection) => connections.push(connection),
    });
    return { ids: events.map(({ id }) => id), connections };
  };

  it('continues behind the last event of a broken connection', async () => {
    answer = (response, attempt) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`id: ${attempt}\ndata: {}\n\nid: `);
      if (attempt === 1) setTimeout(() => response.destroy(), 20);
    };
    expect(await followed(null, ({ id }) => id === '2')).toEqual({
      ids: ['1', '2'],
      connections: ['open', 'lost', 'open', 'ended'],
    });
    expect(asked).toEqual([undefined, '1']);
  });

  it('begins behind a place, and tries again when the gateway is away', async () => {
    answer = (response, attempt) => {
      if (attempt === 1) {
        response.writeHead(503).end('{}');
        return;
      }
      response.writeHead(200).write('id: 41\ndata: {}\n\n');
    };
    const { connections } = await followed('40', () => true);
    expect(connections).toEqual(['lost', 'open', 'ended']);
    expect(asked).toEqual(['40', '40']);
  });

  it('ends where the gateway rejects the request', async () => {
    answer = (response) => {
      response.writeHead(403).end('{"message":"no","code":"scope_missing"}');
    };
    await expect(followed(null, () => true)).rejects.toMatchObject({ code: 'scope_missing' });
    expect(asked).toHaveLength(1);
  });
});
