import { Injectable } from '@nestjs/common';
import {
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
} from '#platform/tools/tool.js';
import { type ToolFailure, Tools } from '#platform/tools/tools.js';
import { McpServers } from './mcp/mcp-servers.js';
import { type PlannedTool } from './planning/planner.protocol.js';

/** The tools that agents may call: the gateway's tools and the tools of configured MCP servers. */
@Injectable()
export class AgentTools {
  constructor(
    private readonly tools: Tools,
    private readonly servers: McpServers,
  ) {}

  /** Every tool. An MCP server that does not answer has none. */
  async all(): Promise<readonly PlannedTool[]> {
    return [...this.#own(), ...(await this.servers.reachableTools())];
  }

  /**
   * The named tools.
   * @throws ToolError `unknown_tool`, or `mcp_server_unavailable` for one that cannot be listed
   */
  async demand(names: readonly string[]): Promise<readonly PlannedTool[]> {
    const own = this.#own();
    const found: PlannedTool[] = [];
    for (const name of names) {
      const known = own.find((tool) => tool.name === name) ?? (await this.servers.find(name));
      if (!known) throw new ToolError('unknown_tool', `there is no tool ${name}`);
      found.push(known);
    }
    return found;
  }

  /** Those of the named tools that can be called now. */
  async present(names: readonly string[]): Promise<readonly PlannedTool[]> {
    const found = names.map((name) => this.demand([name]).catch(() => []));
    return (await Promise.all(found)).flat();
  }

  /** Whether a call may be made again when it is not known how the first one ended. */
  async isRepeatable(name: string): Promise<boolean> {
    if (this.tools.find(name)) return true;
    return (await this.servers.find(name))?.isRepeatable ?? false;
  }

  /** @throws ToolError and whatever the tool throws */
  async estimate(name: string, input: unknown, call: ToolCall): Promise<ToolEstimate> {
    if (this.tools.find(name)) return this.tools.estimate(name, input, call);
    return { lines: [], rateCardVersion: null };
  }

  /** @throws ToolError and whatever the tool throws */
  run(name: string, input: unknown, call: ToolCall): Promise<ToolOutcome<unknown>> {
    if (this.tools.find(name)) return this.tools.run(name, input, call);
    return this.servers.call(name, input, call);
  }

  #own(): readonly PlannedTool[] {
    return this.tools.list.map(({ name, description }) => ({
      name,
      description,
      parameters: this.tools.inputSchemaOf(name),
    }));
  }

  /** The description of an error for the caller; null for a defect. */
  failureOf(error: unknown): ToolFailure | null {
    return this.tools.failureOf(error);
  }
}
