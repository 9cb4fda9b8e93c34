import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type ToolCall } from '#platform/tools/tool.js';
import { McpServers } from './mcp-servers.js';
import { type McpServerFixture, startMcpServer } from './mcp-server.fixture.js';

const call: ToolCall = {
  id: '5a8f2c4e-0b7d-5e61-9f3a-6d2b1c0e4f77',
  accountId: '7',
  actor: 'user:7',
  requestId: '01890a5d-ac96-474b-8cce-b302099a8057',
  pricedAtMs: 0,
  signal: new AbortController().signal,
};

describe('MCP servers as tools', () => {
  let folder: string;
  let server: McpServerFixture;
  let opened: McpServers | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-mcp-'));
    server = await startMcpServer();
    process.env['TEST_MCP_TOKEN'] = 'knots';
  });

  afterEach(() => opened?.onApplicationShutdown());

  afterAll(async () => {
    delete process.env['TEST_MCP_TOKEN'];
    await server.close();
    await rm(folder, { recursive: true });
  });

  const serversIn = async (content: unknown): Promise<McpServers> => {
    const file = path.join(folder, 'servers.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    const settings = {
      mcpServersFile: file,
      planTokensMax: 64,
      mcpTimeoutMs: 5_000,
      allowsPrivateMcp: true,
      transcriptMs: 1,
    };
    const clock = { now: () => 0 };
    opened = new McpServers(settings, clock, pino({ level: 'silent' }));
    await opened.onModuleInit();
    return opened;
  };

  const listed = (more: object = {}) => ({ servers: [{ name: 'docs', url: server.url, ...more }] });

  it('are listed under the name of their server, as models can call them', async () => {
    const servers = await serversIn(listed({ tools: ['Shout-Loud', 'fail'] }));
    expect(await servers.reachableTools()).toMatchObject([
      {
        name: 'docs_shout_loud',
        description: 'Shouts.',
        parameters: { type: 'object', properties: { text: { type: 'string' } } },
        isRepeatable: true,
      },
      { name: 'docs_fail', isRepeatable: false },
    ]);
    expect(await servers.find('docs_hidden')).toBeUndefined();
    expect(await servers.find('other_fail')).toBeUndefined();
  });

  it('are called with the id of the call and the token', async () => {
    const servers = await serversIn(listed({ bearer_token_env: 'TEST_MCP_TOKEN' }));
    const outcome = await servers.call('docs_shout_loud', { text: 'knots' }, call);
    expect(outcome).toEqual({ output: { text: 'KNOTS' }, used: [], counters: {} });
    expect(server.calls.at(-1)).toEqual({
      text: 'knots',
      callId: call.id,
      authorization: 'Bearer knots',
    });
  });

  it('fail with the message of the server', async () => {
    const servers = await serversIn(listed());
    await expect(servers.call('docs_fail', { text: 'twist' }, call)).rejects.toMatchObject({
      code: 'mcp_tool_failed',
      message: 'fail: cannot twist',
    });
    await expect(servers.call('docs_none', {}, call)).rejects.toMatchObject({
      code: 'unknown_tool',
    });
  });

  it('are missing while their server does not answer', async () => {
    const away = { name: 'away', url: 'http://127.0.0.1:1/mcp' };
    const servers = await serversIn({ servers: [away, { name: 'docs', url: server.url }] });
    expect((await servers.reachableTools()).map(({ name }) => name)).toEqual([
      'docs_shout_loud',
      'docs_fail',
      'docs_hidden',
    ]);
    await expect(servers.find('away_tool')).rejects.toMatchObject({
      code: 'mcp_server_unavailable',
      details: { isRetryable: true },
    });
  });

  it.each([
    ['text', 'nonsense', 'is not JSON'],
    ['a bad name', { servers: [{ name: 'My Docs', url: 'http://a/' }] }, 'servers[0].name'],
    ['a bad URL', { servers: [{ name: 'docs', url: 'file:///etc' }] }, 'servers[0].url'],
    ['an unknown field', { servers: [], more: 1 }, 'more'],
    [
      'two of one name',
      {
        servers: [
          { name: 'docs', url: 'http://a/' },
          { name: 'docs', url: 'http://b/' },
        ],
      },
      'two servers are called docs',
    ],
    [
      'a token that is not set',
      { servers: [{ name: 'docs', url: 'http://a/', bearer_token_env: 'TEST_UNSET' }] },
      'needs the variable TEST_UNSET',
    ],
  ])('stop the start for a file with %s', async (_, content, message) => {
    await expect(serversIn(content)).rejects.toThrow(message);
  });
});
