import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { pageLimitOf, prefixOf } from '../options.js';
import { type AgentOptions } from './agent-fields.js';
import { type ListAgentsOptions } from './list-agents.js';

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
};
