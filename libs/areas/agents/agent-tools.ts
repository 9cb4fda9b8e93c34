import { Injectable } from '@nestjs/common';
import { type UsedUnits } from '#events/hold.vocabulary.js';
import { isForeignToolName } from '#platform/tools/foreign-tool.js';
import {
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
} from '#platform/tools/tool.js';
import { type ToolFailure, Tools } from '#platform/tools/tools.js';
import { McpServers } from './mcp/mcp-servers.js';
import { type PlannedTool } from './planning/planner.protocol.js';
import { RegisteredTools } from './registered-servers/registered-tools.js';

/**
 * The tools that agents may call: of this gateway, of MCP servers of the account, and of MCP
 * servers that the operator has configured.
 */
@Injectable()
export class AgentTools {
  constructor(
    private readonly tools: Tools,
    private readonly registered: RegisteredTools,
    private readonly servers: McpServers,
  ) {}

  /** Every tool. An MCP server that does not answer has none. */
  async all(accountId: string): Promise<readonly PlannedTool[]> {
    const [registered, configured] = await Promise.all([
      this.registered.callable(accountId),
      this.servers.reachableTools(),
    ]);
    return [...this.#own(), ...registered, ...configured];
  }

  /**
   * The named tools.
   * @throws ToolError `unknown_tool`, `mcp_tool_not_allowed`, `mcp_tool_quarantined`, or
   *   `mcp_server_unavailable` for one that cannot be listed
   */
  async demand(names: readonly string[], accountId: string): Promise<readonly PlannedTool[]> {
    const find = await this.#finder(names, accountId);
    const found: PlannedTool[] = [];
    for (const name of names) {
      const known = await find(name);
      if (known) found.push(known);
      else await this.#rejectMissing(name, accountId);
    }
    return found;
  }

  /** Those of the named tools that can be called now. */
  async present(names: readonly string[], accountId: string): Promise<readonly PlannedTool[]> {
    const find = await this.#finder(names, accountId);
    const found = names.map((name) => find(name).catch(() => undefined));
    return (await Promise.all(found)).flatMap((tool) => tool ?? []);
  }

  /** Whether a call may be made again when it is not known how the first one ended. */
  async isRepeatable(name: string, accountId: string): Promise<boolean> {
    if (this.tools.find(name)) return true;
    const [registered] = await this.registered.callable(accountId, [name]);
    return (registered ?? (await this.servers.find(name)))?.isRepeatable ?? false;
  }

  /** @throws ToolError and whatever the tool throws */
  async estimate(name: string, input: unknown, call: ToolCall): Promise<ToolEstimate> {
    if (this.tools.find(name)) return this.tools.estimate(name, input, call);
    if (isForeignToolName(name)) return this.registered.estimate(name, input, call);
    return { lines: [], rateCardVersion: null };
  }

  /** @throws ToolError and whatever the tool throws */
  run(name: string, input: unknown, call: ToolCall): Promise<ToolOutcome<unknown>> {
    if (this.tools.find(name)) return this.tools.run(name, input, call);
    if (isForeignToolName(name)) return this.registered.run(name, input, call);
    return this.servers.call(name, input, call);
  }

  /** Looks tools up. A server of the account is asked once for all names. */
  async #finder(
    names: readonly string[],
    accountId: string,
  ): Promise<(name: string) => Promise<PlannedTool | undefined>> {
    const known = [...this.#own(), ...(await this.registered.callable(accountId, names))];
    return async (name) =>
      known.find((tool) => tool.name === name) ??
      (isForeignToolName(name) ? undefined : this.servers.find(name));
  }

  async #rejectMissing(name: string, accountId: string): Promise<never> {
    if (!isForeignToolName(name)) {
      throw new ToolError('unknown_tool', `there is no tool ${name}`);
    }
    await this.registered.demand(name, accountId);
    throw new ToolError('mcp_server_unavailable', `the server of ${name} does not list it now`);
  }

  /** The usage of a failed or aborted call. */
  usedBy(error: unknown): readonly UsedUnits[] {
    return this.tools.usedBy(error);
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
