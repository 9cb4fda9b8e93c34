import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { pageLimitOf, prefixOf } from '../options.js';
import { type AgentOptions } from './agent-fields.js';
import { type ListAgentsOptions } from './list-agents.js';
import {
  type ApproveOptions,
  type McpOptions,
  type RegisterOptions,
  type RemoveServerOptions,
} from './mcp-servers.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const agents = commandGroup(program, 'agents', 'List, show and cancel agent sessions.');
  command(agents, 'list', 'List the agent sessions of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--after <id>', 'begin after this session', prefixOf)
    .option('--limit <count>', 'the number of sessions, at most 1,000', pageLimitOf, 20)
    .action((options: ListAgentsOptions) =>
      invoke(options, async () => (await import('./list-agents.js')).listAgents),
    );
  command(agents, 'show', 'Show an agent session, step by step, with its transcript.')
    .argument('<id>', 'the id that list shows')
    .action((id: string, options: Omit<AgentOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./show-agent.js')).showAgent),
    );
  command(agents, 'cancel', 'Cancel an agent session; what it has used is charged.')
    .argument('<id>', 'the id that list shows')
    .action((id: string, options: Omit<AgentOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./cancel-agent.js')).cancelAgent),
    );
  declareMcpCommands(program, invoke);
};

const declareMcpCommands: DeclareCommands = (program, invoke) => {
  const mcp = commandGroup(program, 'mcp', 'MCP servers of an account, and which tools it allows.');
  const ofAccount = (name: string, description: string) =>
    command(mcp, name, description).requiredOption('--user <name>', 'the owner of the account');
  ofAccount('list', 'List the servers of an account with their tools.').action(
    (options: McpOptions) =>
      invoke(options, async () => (await import('./mcp-servers.js')).listServers),
  );
  ofAccount('register', 'Register a server, which lists its tools; none is allowed.')
    .argument('<server>', 'its name: the tools are <server>__<tool>')
    .requiredOption('--url <url>', 'its Streamable HTTP endpoint')
    .option('--token-env <variable>', 'the environment variable that holds its bearer token')
    .action((server: string, options: Omit<RegisterOptions, 'server'>) =>
      invoke({ ...options, server }, async () => (await import('./mcp-servers.js')).registerServer),
    );
  ofAccount('refresh', 'Ask a server for its tools again.')
    .argument('<server>', 'the name that list shows')
    .action((server: string, options: McpOptions) =>
      invoke({ ...options, server }, async () => (await import('./mcp-servers.js')).refreshServer),
    );
  ofAccount('remove', 'Remove a server.')
    .option('--yes', 'do not ask for confirmation')
    .argument('<server>', 'the name that list shows')
    .action((server: string, options: Omit<RemoveServerOptions, 'server'>) =>
      invoke({ ...options, server }, async () => (await import('./mcp-servers.js')).removeServer),
    );
  ofAccount('allow', 'Let agents and MCP clients of the account call a tool.')
    .argument('<server>', 'the name that list shows')
    .argument('<tool>', 'the tool')
    .action((server: string, tool: string, options: McpOptions) =>
      invoke(
        { ...options, server, tool },
        async () => (await import('./mcp-servers.js')).allowTool,
      ),
    );
  ofAccount('forbid', 'Let a tool be called no more.')
    .argument('<server>', 'the name that list shows')
    .argument('<tool>', 'the tool')
    .action((server: string, tool: string, options: McpOptions) =>
      invoke(
        { ...options, server, tool },
        async () => (await import('./mcp-servers.js')).forbidTool,
      ),
    );
  ofAccount('approve', 'End the quarantine of a tool, for the description that refresh shows.')
    .argument('<server>', 'the name that list shows')
    .argument('<tool>', 'the tool')
    .requiredOption('--sha256 <digest>', 'the digest of the description that was read')
    .action((server: string, tool: string, options: Omit<ApproveOptions, 'server' | 'tool'>) =>
      invoke(
        { ...options, server, tool },
        async () => (await import('./mcp-servers.js')).approveTool,
      ),
    );
};
