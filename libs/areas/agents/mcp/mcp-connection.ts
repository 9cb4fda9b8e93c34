import { type Client } from '@modelcontextprotocol/client';
import { type ToolCall, ToolError, type ToolOutcome } from '#platform/tools/tool.js';
import { type McpServerEntry } from './mcp-servers.file.js';
import { CALL_ID_META, type McpTool, outputOf, toolOf } from './mcp-tool.js';

/** The list of tools is asked for again after this time. */
const LISTED_MS = 60_000;
/** One configured server. It is connected to on first use, and again after a failure. */
export class McpConnection {
  #client: Promise<Client> | undefined;
  #listed: { readonly tools: readonly McpTool[]; readonly untilMs: number } | undefined;

  constructor(
    private readonly entry: McpServerEntry,
    private readonly timeoutMs: number,
    private readonly now: () => number,
  ) {}

  get prefix(): string {
    return `${this.entry.name}_`;
  }

  /** @throws ToolError `mcp_server_unavailable` */
  async tools(): Promise<readonly McpTool[]> {
    if (this.#listed && this.#listed.untilMs > this.now()) return this.#listed.tools;
    return this.#asking(async (client) => {
      const { tools } = await client.listTools(undefined, { timeout: this.timeoutMs });
      const { tools: allowed } = this.entry;
      const chosen = tools.filter(({ name }) => allowed?.includes(name) ?? true);
      const listed = chosen.flatMap((tool) => toolOf(this.prefix, tool));
      this.#listed = { tools: listed, untilMs: this.now() + LISTED_MS };
      return listed;
    });
  }

  /** @throws ToolError `mcp_server_unavailable`, `mcp_tool_failed`, `mcp_result_too_large` */
  async call(
    { definition }: McpTool,
    input: unknown,
    { id, signal }: ToolCall,
  ): Promise<ToolOutcome<unknown>> {
    const result = await this.#asking((client) =>
      client.callTool(
        {
          name: definition.name,
          arguments: input as Record<string, unknown>,
          _meta: { [CALL_ID_META]: id },
        },
        { timeout: this.timeoutMs, signal, toolDefinition: definition },
      ),
    );
    return { output: outputOf(result, definition.name), used: [], counters: {} };
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #asking<Answer>(ask: (client: Client) => Promise<Answer>): Promise<Answer> {
    try {
      this.#client ??= this.#connect();
      return await ask(await this.#client);
    } catch (error) {
      const broken = this.#client;
      this.#client = undefined;
      void broken?.then((client) => client.close()).catch(() => undefined);
      const { name } = this.entry;
      const why = error instanceof Error ? error.message : 'no answer';
      throw new ToolError('mcp_server_unavailable', `the MCP server ${name}: ${why}`, {
        isRetryable: true,
      });
    }
  }

  /** The packages are loaded for an installation that has servers. */
  async #connect(): Promise<Client> {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { url, bearer_token_env: variable } = this.entry;
    const token = variable === undefined ? undefined : process.env[variable];
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const client = new Client(
      { name: 'quipu', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    );
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport, { timeout: this.timeoutMs });
    return client;
  }
}
