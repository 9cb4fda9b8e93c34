import { Map as ImmutableMap } from 'immutable';
import {
  MCP_TOOLS_MAX,
  type McpListedTool,
  McpServerListed,
  McpServerRegistered,
  type McpServerEvent,
  McpServerRemoved,
  McpToolAllowed,
  McpToolApproved,
  McpToolForbidden,
  McpToolQuarantined,
} from '#events/agents/mcp-server.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { rejectAgents } from '../agents.errors.js';

/** Names of a tool of an account. */
interface OfTool {
  readonly accountId: string;
  readonly server: string;
  readonly tool: string;
}

/** The list of a server at an instant. */
interface Listing {
  readonly accountId: string;
  readonly server: string;
  readonly tools: readonly McpListedTool[];
  readonly listedAt: string;
}

export type RegisteredServersCommand =
  | { readonly type: 'RegisterServer'; readonly data: McpServerRegistered['data'] }
  | { readonly type: 'RemoveServer'; readonly data: McpServerRemoved['data'] }
  /** The whole list, which the owner asked for. */
  | { readonly type: 'RecordList'; readonly data: Listing }
  /** Only the changes that a list shows in known tools. */
  | { readonly type: 'RecordChanges'; readonly data: Listing }
  | { readonly type: 'AllowTool'; readonly data: OfTool & { readonly allowedAt: string } }
  | { readonly type: 'ForbidTool'; readonly data: McpToolForbidden['data'] }
  | { readonly type: 'ApproveTool'; readonly data: McpToolApproved['data'] };

/** A tool as the account knows it. */
export interface RegisteredTool {
  readonly sha256: string;
  readonly isAllowed: boolean;
  readonly isQuarantined: boolean;
}

export interface RegisteredServer {
  readonly registered: McpServerRegistered['data'];
  /** By name. */
  readonly tools: ImmutableMap<string, RegisteredTool>;
}

export interface RegisteredServersState {
  /** By name. */
  readonly servers: ImmutableMap<string, RegisteredServer>;
}

export const SERVERS_MAX = 16;

/** The MCP servers of one account. */
export const registeredServersDecider: Decider<
  RegisteredServersCommand,
  RegisteredServersState,
  McpServerEvent
> = {
  initialState: { servers: ImmutableMap() },
  decide: (command, state) => {
    if (command.type === 'RegisterServer') return registered(command.data, state);
    return ofKnown(command, serverOf(command.data.server, state));
  },
  evolve: ({ servers }, event) => ({ servers: evolved(servers, event) }),
};

const registered = (
  data: McpServerRegistered['data'],
  { servers }: RegisteredServersState,
): readonly McpServerEvent[] => {
  const known = servers.get(data.server);
  if (known?.registered.registrationId === data.registrationId) return [];
  if (known) {
    return rejectAgents('mcp_server_exists', `name: the account has a server ${data.server}`);
  }
  if (servers.size >= SERVERS_MAX) {
    return rejectAgents('too_many_mcp_servers', `an account has at most ${SERVERS_MAX} servers`);
  }
  return [McpServerRegistered.of(data)];
};

const serverOf = (name: string, { servers }: RegisteredServersState): RegisteredServer =>
  servers.get(name) ?? noServer(name);

export const noServer = (name: string): never =>
  rejectAgents('mcp_server_not_found', `there is no MCP server ${name}`);

const ofKnown = (
  command: Exclude<RegisteredServersCommand, { type: 'RegisterServer' }>,
  server: RegisteredServer,
): readonly McpServerEvent[] => {
  switch (command.type) {
    case 'RemoveServer':
      return [McpServerRemoved.of(command.data)];
    case 'RecordList':
      return [...changesIn(command.data, server), ...listedIn(command.data, server)];
    case 'RecordChanges':
      return changesIn(command.data, server);
    case 'AllowTool': {
      const { isAllowed, isQuarantined, sha256 } = toolOf(command.data, server);
      if (isQuarantined) return rejectQuarantined(command.data);
      return isAllowed ? [] : [McpToolAllowed.of({ ...command.data, sha256 })];
    }
    case 'ForbidTool':
      return toolOf(command.data, server).isAllowed ? [McpToolForbidden.of(command.data)] : [];
    case 'ApproveTool':
      return toolOf(command.data, server).isQuarantined ? [McpToolApproved.of(command.data)] : [];
  }
};

const toolOf = ({ server, tool }: OfTool, { tools }: RegisteredServer): RegisteredTool =>
  tools.get(tool) ?? rejectAgents('mcp_tool_not_found', `the server ${server} has no tool ${tool}`);

const rejectQuarantined = ({ server, tool }: OfTool): never =>
  rejectAgents('mcp_tool_quarantined', quarantineOf(`${server}__${tool}`));

/** Why a tool in quarantine is not called, and what ends that. */
export const quarantineOf = (name: string): string =>
  `the description of ${name} has changed; it is not called until the owner approves it`;

/** One quarantine for each known tool whose digest is another one. */
const changesIn = (
  { accountId, server, tools, listedAt }: Listing,
  known: RegisteredServer,
): readonly McpServerEvent[] =>
  tools.flatMap(({ tool, sha256: foundSha256 }) => {
    const before = known.tools.get(tool);
    if (!before || before.isQuarantined || before.sha256 === foundSha256) return [];
    const { sha256 } = before;
    const at = { quarantinedAt: listedAt };
    return [McpToolQuarantined.of({ accountId, server, tool, sha256, foundSha256, ...at })];
  });

/** New tools become known. A tool that is gone is forgotten unless the owner decided about it. */
const listedIn = (
  { accountId, server, tools, listedAt }: Listing,
  known: RegisteredServer,
): readonly McpServerEvent[] => {
  const found = new Set(tools.map(({ tool }) => tool));
  const kept = [...known.tools]
    .filter(([tool, { isAllowed, isQuarantined }]) => found.has(tool) || isAllowed || isQuarantined)
    .map(([tool, { sha256 }]) => ({ tool, sha256 }));
  const added = tools.filter(({ tool }) => !known.tools.has(tool));
  if (added.length === 0 && kept.length === known.tools.size) return [];
  const all = [...kept, ...added];
  if (all.length > MCP_TOOLS_MAX) {
    const detail = `a server has at most ${MCP_TOOLS_MAX} tools, ${server} has ${all.length}`;
    return rejectAgents('mcp_list_too_large', detail);
  }
  return [McpServerListed.of({ accountId, server, tools: all, listedAt })];
};

type Servers = RegisteredServersState['servers'];

const evolved = (servers: Servers, { type, data }: McpServerEvent): Servers => {
  const change = (changed: (tools: RegisteredServer['tools']) => RegisteredServer['tools']) =>
    servers.update(data.server, (server) => server && { ...server, tools: changed(server.tools) });
  switch (type) {
    case 'McpServerRegistered':
      return servers.set(data.server, { registered: data, tools: known(data.tools) });
    case 'McpServerRemoved':
      return servers.delete(data.server);
    case 'McpServerListed':
      return change((tools) => known(data.tools).map((tool, name) => tools.get(name, tool)));
    case 'McpToolAllowed':
      return change((tools) => withTool(tools, data.tool, { isAllowed: true }));
    case 'McpToolForbidden':
      return change((tools) => withTool(tools, data.tool, { isAllowed: false }));
    case 'McpToolQuarantined':
      return change((tools) => withTool(tools, data.tool, { isQuarantined: true }));
    case 'McpToolApproved': {
      const { sha256 } = data;
      return change((tools) => withTool(tools, data.tool, { sha256, isQuarantined: false }));
    }
  }
};

const known = (tools: readonly McpListedTool[]): RegisteredServer['tools'] =>
  ImmutableMap(
    tools.map(({ tool, sha256 }) => [tool, { sha256, isAllowed: false, isQuarantined: false }]),
  );

const withTool = (
  tools: RegisteredServer['tools'],
  name: string,
  changed: Partial<RegisteredTool>,
): RegisteredServer['tools'] => tools.update(name, (tool) => tool && { ...tool, ...changed });
