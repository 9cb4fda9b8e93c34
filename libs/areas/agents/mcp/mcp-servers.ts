import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { type ToolCall, ToolError, type ToolOutcome } from '#platform/tools/tool.js';
import { AGENT_SETTINGS, type AgentSettings } from '../agents.settings.js';
import { McpConnection } from './mcp-connection.js';
import { readMcpServers } from './mcp-servers.file.js';
import { type McpTool } from './mcp-tool.js';

/** The MCP servers that the operator has listed. Their tools are free: they have no price here. */
@Injectable()
export class McpServers implements OnModuleInit, OnApplicationShutdown {
  #connections: readonly McpConnection[] = [];

  constructor(
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws SettingsError for a file that cannot be used: the process does not start */
  async onModuleInit(): Promise<void> {
    const { mcpServersFile, mcpTimeoutMs } = this.settings;
    if (mcpServersFile === null) return;
    const entries = await readMcpServers(mcpServersFile);
    const now = (): number => this.clock.now();
    this.#connections = entries.map((entry) => new McpConnection(entry, mcpTimeoutMs, now));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** The tools of all servers that answer. One that does not is logged. */
  async reachableTools(): Promise<readonly McpTool[]> {
    const listed = this.#connections.map((connection) =>
      connection.tools().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'an MCP server does not list its tools');
        return [];
      }),
    );
    return (await Promise.all(listed)).flat();
  }

  /**
   * Undefined for a name that no server has.
   * @throws ToolError `mcp_server_unavailable`
   */
  async find(name: string): Promise<McpTool | undefined> {
    const tools = await this.#connectionOf(name)?.tools();
    return tools?.find((tool) => tool.name === name);
  }

  /** @throws ToolError `unknown_tool`, and the errors of the connection */
  async call(name: string, input: unknown, call: ToolCall): Promise<ToolOutcome<unknown>> {
    const connection = this.#connectionOf(name);
    const tool = (await connection?.tools())?.find((one) => one.name === name);
    if (connection && tool) return connection.call(tool, input, call);
    throw new ToolError('unknown_tool', `there is no tool ${name} any more`);
  }

  /** Names of servers have no underscore, so one connection has the prefix at most. */
  #connectionOf(name: string): McpConnection | undefined {
    return this.#connections.find(({ prefix }) => name.startsWith(prefix));
  }
}
