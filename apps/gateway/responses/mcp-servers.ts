import { Inject, Injectable } from '@nestjs/common';
import { MCP_CALL_MS_MAX, ToolCalls } from '#areas/agents/mcp/tool-calls.js';
import {
  type NamedServer,
  RegisteredTools,
} from '#areas/agents/registered-servers/registered-tools.js';
import { type DescribedTool } from '#areas/agents/registered-servers/server-sessions.js';
import { type Item } from '#areas/responses/translation/input-items.js';
import { type McpListItem, mcpListItem } from '#areas/responses/translation/mcp-items.js';
import {
  chosenTools,
  isCalled,
  type ListedTool,
  type McpTool,
  type RemoteTool,
} from '#areas/responses/translation/mcp-tool.js';
import { mcpToolsOf, type ResponseBody } from '#areas/responses/translation/response-body.js';
import { keyOf } from '#areas/responses/translation/response-chat.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { foreignToolName } from '#platform/tools/foreign-tool.js';
import { ToolError } from '#platform/tools/tool.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { type AskedSearch } from './file-searches.js';
import { approvalsIn } from './mcp-approvals.js';
import { type AskedResponse, McpRounds } from './mcp-rounds.js';

/** As for a session of an agent. */
const TOOLS_MAX = 128;
const SERVERS = '/api/v1/mcp/servers';

interface ChosenServer {
  readonly label: string;
  readonly listed: readonly ListedTool[];
  readonly tools: readonly RemoteTool[];
}

/** Finds the tools of the MCP servers that a request for a response names. */
@Injectable()
export class ResponseMcpServers {
  constructor(
    private readonly registered: RegisteredTools,
    private readonly calls: ToolCalls,
    private readonly requests: OpenRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Nothing is called and nothing charged. Null where the request names no server.
   * @throws RejectedRequestError 400 that names the field; DomainError `mcp_server_unavailable`,
   *   `mcp_list_too_large`
   */
  async find(request: AskedResponse, asked: AskedSearch): Promise<McpRounds | null> {
    const { responseId, body, input, before } = request;
    const said = (before?.contents ?? []).flatMap(
      ({ input: sent, response: { output } }) => [...sent, ...output] as Item[],
    );
    const servers = await this.#serversOf(body, asked.caller.accountId);
    const tools = servers.flatMap((server) => server.tools);
    if (tools.length > TOOLS_MAX) {
      const why = `expected at most ${TOOLS_MAX} tools of MCP servers, received ${tools.length}`;
      throw rejectedField('tools', why);
    }
    const approvals = approvalsIn(input, said, tools);
    if (servers.length === 0) return null;
    const shown = new Set(
      [...said, ...input].flatMap((item) =>
        item.type === 'mcp_list_tools' ? item.server_label : [],
      ),
    );
    const lists: McpListItem[] = servers
      .filter(({ label }) => !shown.has(label))
      .map(({ label, listed }, n) => mcpListItem(`mcpl_${keyOf(responseId)}${n}`, label, listed));
    return new McpRounds(
      { ...request, asked, tools, lists, approvals },
      { calls: this.calls, clock: this.clock },
    );
  }

  /** Makes the calls that the caller has approved, before the first chat. */
  async callApproved(rounds: McpRounds): Promise<void> {
    const open = this.requests.open(MCP_CALL_MS_MAX);
    try {
      await rounds.callApproved(open.signal);
    } finally {
      open.close();
    }
  }

  async #serversOf(body: ResponseBody, accountId: string): Promise<readonly ChosenServer[]> {
    const named = mcpToolsOf(body);
    const servers: ChosenServer[] = [];
    for (const { tool, at } of named) {
      const label = tool.server_label;
      if (servers.some((server) => server.label === label)) {
        throw rejectedField(`${at}.server_label`, `expected one tool of the server ${label}`);
      }
      const server = await this.registered
        .server(accountId, label)
        .catch((error: unknown) => rejectMissing(error, tool, at));
      demandUrl(server, tool, at);
      const listed = (await server.callable()).map(listedOf);
      if (listed.length === 0) {
        const how = `allow one with POST ${SERVERS}/${label}/tools/<tool>/allow`;
        throw rejectedField(`${at}.server_label`, `${label} has no allowed tool; ${how}`);
      }
      const tools = chosenTools(tool, listed);
      await this.#demandNames(tool, at, listed, accountId);
      servers.push({ label, listed: listed.filter((one) => isChosen(one, tools)), tools });
    }
    return servers;
  }

  /** A tool that the request names is one that can be called. */
  async #demandNames(
    { allowed_tools: allowed, server_label: label }: McpTool,
    at: string,
    listed: readonly ListedTool[],
    accountId: string,
  ): Promise<void> {
    const isList = Array.isArray(allowed);
    const names = isList ? allowed : (allowed?.tool_names ?? []);
    const n = names.findIndex((name) => !listed.some((tool) => isCalled(tool, name)));
    const missing = names[n];
    if (missing === undefined) return;
    const why = await this.registered
      .demand(foreignToolName(label, missing), accountId)
      .then(() => `${label} does not list the tool now`)
      .catch((error: unknown) => {
        if (!(error instanceof ToolError)) throw error;
        return error.message;
      });
    throw rejectedField(`${at}.allowed_tools${isList ? '' : '.tool_names'}[${n}]`, why);
  }
}

const isChosen = ({ name }: ListedTool, tools: readonly RemoteTool[]): boolean =>
  tools.some((tool) => tool.name === name);

const listedOf = ({ tool, description, parameters, definition }: DescribedTool): ListedTool => ({
  name: tool,
  ownName: definition.name,
  description,
  parameters,
  annotations: definition.annotations ?? null,
});

const rejectMissing = (error: unknown, { server_label: label }: McpTool, at: string): never => {
  if (!(error instanceof DomainError) || error.code !== 'mcp_server_not_found') throw error;
  const how = `register it with POST ${SERVERS} or quipu mcp register, then allow its tools`;
  const expected = `expected the name of an MCP server that the account has registered (${how})`;
  throw rejectedField(`${at}.server_label`, `${expected}, received ${label}`);
};

const demandUrl = ({ url }: NamedServer, { server_url: asked }: McpTool, at: string): void => {
  if (asked == null) return;
  if (url !== null && URL.canParse(asked) && new URL(asked).href === new URL(url).href) return;
  const how = `register the other one under a name of its own with POST ${SERVERS}`;
  throw rejectedField(`${at}.server_url`, `expected the registered address of the server; ${how}`);
};
