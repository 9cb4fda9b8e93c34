import { createGzip } from 'node:zlib';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MCP_TOOLS_MAX } from '#events/agents/mcp-server.events.js';
import { type AgentSettings } from '../agents.settings.js';
import { startMcpServer } from '../mcp/mcp-server.fixture.js';
import { BoundedFetch } from './bounded-fetch.js';
import {
  DESCRIPTION_CHARACTERS_MAX,
  type ServerSession,
  ServerSessions,
} from './server-sessions.js';
import { type ServerCredentials } from './server-secrets.js';
import { startHostileServer } from './server.fixture.js';

describe('a session with a server of an account', () => {
  const closing: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const open = (settings: Partial<AgentSettings> = {}) => {
    const all = { allowsPrivateMcp: true, mcpTimeoutMs: 10_000, ...settings } as AgentSettings;
    const fetches = new BoundedFetch(all);
    closing.push(() => fetches.onApplicationShutdown());
    const sessions = new ServerSessions(fetches, all);
    return <Answer>(
      url: string,
      work: (session: ServerSession) => Promise<Answer>,
      credentials: ServerCredentials | null = null,
      signal?: AbortSignal,
    ) => sessions.with({ accountId: '7', name: 'docs', url, credentials }, work, signal);
  };

  const list = (session: ServerSession) => session.list();

  const friendly = async () => {
    const server = await startMcpServer();
    closing.push(() => server.close());
    return server;
  };

  const hostile = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
    const server = await startHostileServer(answer);
    closing.push(() => server.close());
    return server;
  };

  it('lists tools with their digests, and calls one with the id of the call', async () => {
    const { url, calls } = await friendly();
    const inSession = open();
    const token = { kind: 'bearer', token: 'knots' } as const;
    const [listed, output] = await inSession(
      url,
      async (session) => {
        const found = await session.list();
        const [shout] = found;
        if (!shout) throw new Error('the server lists no tool');
        return [found, await session.call(shout, { text: 'knots' }, 'call-1')] as const;
      },
      token,
    );
    expect(listed).toMatchObject([
      {
        tool: 'shout_loud',
        name: 'docs__shout_loud',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { tool: 'fail', name: 'docs__fail' },
      { tool: 'hidden', name: 'docs__hidden' },
    ]);
    expect(output).toEqual({ text: 'KNOTS' });
    expect(calls).toEqual([{ text: 'knots', callId: 'call-1', authorization: 'Bearer knots' }]);
    const again = await inSession(url, list);
    expect(again.map(({ sha256 }) => sha256)).toEqual(listed.map(({ sha256 }) => sha256));
  });

  it('goes to public addresses by https only, unless the operator allows others', async () => {
    const inSession = open({ allowsPrivateMcp: false });
    for (const url of ['http://mcp.example.com/', 'https://127.0.0.1/', 'https://localhost/']) {
      await expect(inSession(url, list)).rejects.toMatchObject({
        code: 'mcp_server_unavailable',
        message: expect.stringContaining('QUIPU_AGENT_MCP_PRIVATE=allow'),
      });
    }
  });

  it('follows no redirect', async () => {
    const inner = await hostile((_, response) => response.end('secret'));
    const { url } = await hostile((_, response) => {
      response.writeHead(307, { location: inner.url }).end();
    });
    await expect(open()(url, list)).rejects.toMatchObject({
      code: 'mcp_server_unavailable',
      message: 'the MCP server docs: it answers with a redirect, which is not followed',
    });
    expect(inner.requests).toBe(0);
  });

  it('ends when a server does not answer', async () => {
    const { url } = await hostile(() => undefined);
    await expect(open({ mcpTimeoutMs: 300 })(url, list)).rejects.toMatchObject({
      code: 'mcp_server_unavailable',
      message: expect.stringContaining('no answer within 300 ms'),
      details: { isRetryable: true },
    });
    const left = AbortSignal.timeout(100);
    await expect(open()(url, list, null, left)).rejects.toThrow('aborted due to timeout');
  });

  it.each(['application/json', 'text/event-stream'])(
    'reads no endless answer of %s',
    async (type) => {
      const { url } = await hostile((_, response) => {
        response.writeHead(200, { 'content-type': type });
        const piece = type === 'text/event-stream' ? ': knots\n'.repeat(8_192) : ' '.repeat(65_536);
        const write = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', write);
        write();
      });
      await expect(open()(url, list)).rejects.toMatchObject({
        code: 'mcp_server_unavailable',
        message: expect.stringContaining('4194304 bytes'),
      });
    },
  );

  it('counts the bytes of an answer that is compressed', async () => {
    const { url } = await hostile((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      const bomb = createGzip();
      bomb.pipe(response);
      bomb.end(Buffer.alloc(64 * 1_024 * 1_024));
    });
    await expect(open()(url, list)).rejects.toMatchObject({
      message: expect.stringContaining('4194304 bytes'),
    });
  });

  /** Speaks the protocol of 2025 as far as a list of tools. */
  const listing = (page: (cursor: string | undefined) => object) =>
    hostile((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        if (request.method !== 'POST') return response.writeHead(405).end();
        const { id, method, params } = JSON.parse(Buffer.concat(pieces).toString()) as {
          readonly id?: number;
          readonly method: string;
          readonly params?: { readonly cursor?: string };
        };
        if (id === undefined) return response.writeHead(202).end();
        const known: Record<string, () => object> = {
          initialize: () => ({
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'hostile', version: '1' },
          }),
          'tools/list': () => page(params?.cursor),
        };
        const result = known[method]?.();
        const error = { code: -32_601, message: 'no such method' };
        const answer = { jsonrpc: '2.0', id, ...(result ? { result } : { error }) };
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer));
      });
    });

  const toolCalled = (name: string, description = '') => ({
    name,
    description,
    inputSchema: { type: 'object' },
  });

  it('reads no list without an end', async () => {
    let pages = 0;
    const { url } = await listing(() => {
      pages += 1;
      return { tools: [toolCalled(`t${pages}`)], nextCursor: String(pages) };
    });
    await expect(open()(url, list)).rejects.toMatchObject({ code: 'mcp_server_unavailable' });
    expect(pages).toBeLessThanOrEqual(9);
  });

  it('takes no list of too many tools', async () => {
    const tools = Array.from({ length: MCP_TOOLS_MAX + 1 }, (_, index) => toolCalled(`t${index}`));
    const { url } = await listing(() => ({ tools }));
    await expect(open()(url, list)).rejects.toMatchObject({ code: 'mcp_list_too_large' });
  });

  it('leaves out what cannot be called: long descriptions, long names, second names', async () => {
    const tools = [
      toolCalled('Knots', 'the first'),
      toolCalled('knots', 'the second'),
      toolCalled('long', 'x'.repeat(DESCRIPTION_CHARACTERS_MAX)),
      toolCalled('n'.repeat(80)),
    ];
    const { url } = await listing(() => ({ tools }));
    expect(await open()(url, list)).toMatchObject([{ tool: 'knots', description: 'the first' }]);
  });
});
