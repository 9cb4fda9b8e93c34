import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type * as Sdk from '@modelcontextprotocol/client';
import { type Client, type Tool } from '@modelcontextprotocol/client';
import { MCP_TOOLS_MAX, type McpListedTool } from '#events/agents/mcp-server.events.js';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { foreignToolName } from '#platform/tools/foreign-tool.js';
import { ToolError } from '#platform/tools/tool.js';
import { AGENT_SETTINGS, type AgentSettings } from '../agents.settings.js';
import {
  CALL_ID_META,
  callableName,
  type McpTool,
  outputOf,
  toolOf,
  UNCHECKED,
} from '../mcp/mcp-tool.js';
import { BoundedFetch, ServerFaultError } from './bounded-fetch.js';
import { type ServerAccess, type ServerCredentials } from './server-secrets.js';

/** A tool as its server describes it now. */
export interface DescribedTool extends McpTool, McpListedTool {}

/** A server of an account, with its secrets. */
export interface OpenedServer extends ServerAccess {
  readonly accountId: string;
  readonly name: string;
}

/** A connection to a server that lasts for one piece of work. */
export interface ServerSession {
  /** @throws ToolError `mcp_list_too_large` */
  list(): Promise<readonly DescribedTool[]>;
  /** @throws ToolError `mcp_tool_failed`, `mcp_result_too_large` */
  call(tool: McpTool, input: unknown, id: string): Promise<unknown>;
}

/** Sessions at once, of this process. */
const SESSIONS = { total: 64, perAccount: 8, reserve: 16 } as const;
export const LIST_PAGES_MAX = 8;
/** In canonical JSON. A tool with a longer description is left out. */
export const DESCRIPTION_CHARACTERS_MAX = 16_384;

/**
 * Speaks to the servers of accounts. A session connects, lists or calls, and closes: nothing that a
 * server sends outlives it.
 */
@Injectable()
export class ServerSessions {
  readonly #shares = new AccountShares(SESSIONS);

  constructor(
    private readonly fetches: BoundedFetch,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  /** @throws ToolError `mcp_server_unavailable`, and what the work throws; the signal's reason */
  async with<Answer>(
    server: OpenedServer,
    work: (session: ServerSession) => Promise<Answer>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Answer> {
    const { mcpTimeoutMs } = this.settings;
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(mcpTimeoutMs)]);
    try {
      const leave = await this.#shares.enter(server.accountId, 1, bounded);
      try {
        return await this.#opened(server, work, bounded);
      } finally {
        leave();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolError) throw error;
      const why = reasonOf(error, mcpTimeoutMs);
      throw new ToolError('mcp_server_unavailable', `the MCP server ${server.name}: ${why}`, {
        isRetryable: true,
      });
    }
  }

  /** The packages are loaded for the first session. */
  async #opened<Answer>(
    server: OpenedServer,
    work: (session: ServerSession) => Promise<Answer>,
    bounded: AbortSignal,
  ): Promise<Answer> {
    const sdk = await import('@modelcontextprotocol/client');
    const fault = new AbortController();
    const signal = AbortSignal.any([bounded, fault.signal]);
    const transport = new sdk.StreamableHTTPClientTransport(this.fetches.demandUrl(server.url), {
      fetch: this.fetches.ofSession(signal, (error) => fault.abort(error)),
      reconnectionOptions: NO_RECONNECTION,
      ...signInOf(sdk, server.credentials),
    });
    const client = new sdk.Client(
      { name: 'quipu', version: '1' },
      {
        versionNegotiation: { mode: 'auto' },
        listMaxPages: LIST_PAGES_MAX,
        jsonSchemaValidator: UNCHECKED,
      },
    );
    const options = { timeout: this.settings.mcpTimeoutMs, signal };
    const working = client
      .connect(transport, options)
      .then(() => work(sessionOf(client, server, options)));
    try {
      return await unlessAborted(working, signal);
    } finally {
      client.close().catch(() => undefined);
    }
  }
}

const NO_RECONNECTION = {
  maxRetries: 0,
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1,
} as const;

const signInOf = (
  sdk: Pick<typeof Sdk, 'ClientCredentialsProvider'>,
  credentials: ServerCredentials | null,
) => {
  if (credentials === null) return {};
  switch (credentials.kind) {
    case 'bearer':
      return { requestInit: { headers: { authorization: `Bearer ${credentials.token}` } } };
    case 'oauth': {
      const { clientId, clientSecret, issuer: expectedIssuer } = credentials;
      const client = { clientId, clientSecret, expectedIssuer };
      return { authProvider: new sdk.ClientCredentialsProvider(client) };
    }
  }
};

const sessionOf = (
  client: Client,
  { name: server }: OpenedServer,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): ServerSession => ({
  list: async () => {
    const { tools } = await client.listTools(undefined, options);
    if (tools.length > MCP_TOOLS_MAX) {
      const detail = `the MCP server ${server} lists more than ${MCP_TOOLS_MAX} tools`;
      throw new ToolError('mcp_list_too_large', detail);
    }
    return describedTools(server, tools);
  },
  call: async ({ definition }, input, id) => {
    const { name } = definition;
    const result = await client.callTool(
      { name, arguments: input as Record<string, unknown>, _meta: { [CALL_ID_META]: id } },
      { ...options, toolDefinition: definition },
    );
    return outputOf(result, name);
  },
});

/** Of two tools with one callable name, the first. */
const describedTools = (server: string, tools: readonly Tool[]): readonly DescribedTool[] => {
  const byName = new Map<string, DescribedTool>();
  for (const definition of tools) {
    const described = canonicalJson(descriptionOf(definition));
    if (described.length > DESCRIPTION_CHARACTERS_MAX) continue;
    const sha256 = createHash('sha256').update(described).digest('hex');
    const tool = callableName(definition.name);
    for (const found of toolOf(foreignToolName(server, ''), definition)) {
      if (!byName.has(tool)) byName.set(tool, { ...found, tool, sha256 });
    }
  }
  return [...byName.values()];
};

/** All that tells a model or this gateway how to call the tool. */
const descriptionOf = ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Tool) => ({ name, title, description, inputSchema, outputSchema, annotations });

/** The work is left alone when the signal comes first. */
const unlessAborted = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave));
};

/** The message of most errors may have the address or a text of the server. */
const reasonOf = (error: unknown, timeoutMs: number): string => {
  if (error instanceof ServerFaultError) return error.message;
  if (error instanceof DomainError) return error.detail;
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return `there was no answer within ${timeoutMs} ms`;
  if (error.cause instanceof Error) return reasonOf(error.cause, timeoutMs);
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
  if (typeof status === 'number') return `it answered with status ${status}`;
  return typeof code === 'string' ? code : error.name;
};
