import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ToolCall } from '#platform/tools/tool.js';
import { allowedHostOf } from './allowed-hosts.js';
import { HttpTool, httpTool, RESPONSE_BYTES_MAX } from './http.tool.js';

const call: ToolCall = {
  id: '2f6c1b7a-0d7e-5c55-9a52-6d1a3f0b4c11',
  accountId: '7',
  actor: 'user:7',
  requestId: '2f6c1b7a-0d7e-5c55-9a52-6d1a3f0b4c11',
  pricedAtMs: 0,
  signal: new AbortController().signal,
};

const input = (url: string, more: object = {}) => httpTool.input.parse({ url, ...more });

describe('the tool http', () => {
  let server: Server;
  let origin: string;
  let tool: HttpTool;
  const received: { readonly message: IncomingMessage; readonly body: string }[] = [];

  beforeAll(async () => {
    server = createServer((message, response) => {
      const pieces: Buffer[] = [];
      message.on('data', (piece: Buffer) => pieces.push(piece));
      message.on('end', () => {
        received.push({ message, body: Buffer.concat(pieces).toString() });
        const { pathname, searchParams } = new URL(message.url ?? '', 'http://host');
        const type = searchParams.get('type') ?? 'application/json';
        const status = Number(searchParams.get('status') ?? 200);
        response.writeHead(status, { 'content-type': type, location: '/elsewhere' });
        if (pathname === '/large') response.end('x'.repeat(RESPONSE_BYTES_MAX + 1));
        else if (pathname === '/binary') response.end(Buffer.from([0xff, 0xfe]));
        else if (pathname === '/empty') response.end();
        else if (pathname === '/never') response.write('{');
        else response.end('{"a":[1]}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    const listed = [`private:127.0.0.1:${port}`, 'private:127.0.0.1:9', 'localhost', '10.0.0.1'];
    tool = new HttpTool({ hosts: listed.flatMap((entry) => allowedHostOf(entry) ?? []) });
  });

  afterAll(async () => {
    await tool.onApplicationShutdown();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('sends a request with the id of the call, and reads JSON', async () => {
    const asked = input(`${origin}/a?b=1`, {
      method: 'POST',
      headers: { 'X-Topic': 'knots' },
      body: { list: [1] },
    });
    expect(await tool.run(asked, call)).toEqual({
      output: {
        status: 200,
        content_type: 'application/json',
        location: '/elsewhere',
        body: { a: [1] },
      },
      used: [],
      counters: { status: 200, response_bytes: 9 },
    });
    const { message, body } = received.at(-1) ?? {};
    expect(message?.method).toBe('POST');
    expect(message?.headers).toMatchObject({
      'idempotency-key': call.id,
      'content-type': 'application/json',
      'x-topic': 'knots',
    });
    expect(body).toBe('{"list":[1]}');
  });

  it.each([
    ['/a?type=text/plain', '{"a":[1]}'],
    ['/a?type=application/problem%2Bjson', { a: [1] }],
    ['/empty', null],
  ])('gives the body of %s as %j', async (path, body) => {
    expect((await tool.run(input(`${origin}${path}`), call)).output.body).toEqual(body);
  });

  it('follows no redirect', async () => {
    const before = received.length;
    const { output } = await tool.run(input(`${origin}/a?status=302`), call);
    expect(output).toMatchObject({ status: 302, location: '/elsewhere' });
    expect(received).toHaveLength(before + 1);
  });

  it.each([
    ['/a?status=400', 'http_status', false],
    ['/a?status=404', 'http_status', false],
    ['/a?status=429', 'http_status', true],
    ['/a?status=503', 'http_status', true],
    ['/large', 'response_too_large', false],
    ['/binary', 'response_unreadable', false],
  ])('fails on %s with %s', async (path, code, isRetryable) => {
    const running = tool.run(input(`${origin}${path}`), call);
    const error = await running.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect((error as { details: { isRetryable?: boolean } }).details.isRetryable ?? false).toBe(
      isRetryable,
    );
  });

  it('may be tried again when the server cannot be reached, without the address', async () => {
    const error = await tool
      .run(input('http://127.0.0.1:9/?secret=x'), call)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'http_unreachable', details: { isRetryable: true } });
    expect(String(error)).not.toContain('secret');
  });

  it('stops when the call is not needed any more', async () => {
    const controller = new AbortController();
    const running = tool.run(input(`${origin}/never`), { ...call, signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toThrow();
  });

  it.each([
    ['a host that is not listed', 'https://example.org/'],
    ['a listed private address without the prefix', 'https://10.0.0.1/'],
    ['a listed local name without the prefix', 'https://localhost/'],
    ['another port', 'http://127.0.0.1:1/'],
    ['a user', 'http://u:p@127.0.0.1:9/'],
  ])('refuses %s before any work', async (_, url) => {
    await expect(tool.estimate(input(url))).rejects.toMatchObject({
      code: 'http_host_not_allowed',
    });
    await expect(tool.run(input(url), call)).rejects.toMatchObject({
      code: 'http_host_not_allowed',
    });
  });

  it('takes no body with GET, and none that is too large', async () => {
    const get = tool.run(input(`${origin}/`, { body: 'x' }), call);
    await expect(get).rejects.toMatchObject({ code: 'invalid_input' });
    const large = { method: 'PUT', body: 'x'.repeat(262_145) };
    const put = tool.run(input(`${origin}/`, large), call);
    await expect(put).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it.each([
    ['another scheme', { url: 'file:///etc/passwd' }],
    ['a header of the gateway', { url: 'https://a.example/', headers: { Host: 'b' } }],
    ['a header with a line break', { url: 'https://a.example/', headers: { a: 'b\r\nc: d' } }],
    ['another method', { url: 'https://a.example/', method: 'TRACE' }],
  ])('takes no input with %s', (_, value) => {
    expect(httpTool.input.safeParse(value).success).toBe(false);
  });
});
