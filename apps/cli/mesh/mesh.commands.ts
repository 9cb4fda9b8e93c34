import { InvalidArgumentError, Option } from 'commander';
import { AgentName, MeshTaskId } from '#events/mesh/mesh-task.events.js';
import { MESH_TASK_STATUSES } from '#projections/mesh/mesh-tasks.projection.js';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { pageLimitOf } from '../options.js';
import { type ListTasksOptions } from './list-tasks.js';
import { type TaskOptions } from './mesh-task-fields.js';

const FORM = 'Expected a letter or digit, then up to 127 of A-Z a-z 0-9 . _ : -';
const USER = ['--user <name>', 'the owner of the account'] as const;

const taskIdOf = (text: string): string => {
  if (MeshTaskId.safeParse(text).success) return text;
  throw new InvalidArgumentError(FORM);
};

const agentOf = (text: string): string => {
  if (AgentName.safeParse(text).success) return text;
  throw new InvalidArgumentError(FORM);
};

export const declareCommands: DeclareCommands = (program, invoke) => {
  const mesh = commandGroup(program, 'mesh', 'List the tasks of agents, and free one.');
  command(mesh, 'list', 'List the tasks of an account, by id.')
    .requiredOption(...USER)
    .option('--agent <name>', 'only tasks whose last lease is this agent’s', agentOf)
    .addOption(new Option('--status <status>', 'only tasks in it').choices(MESH_TASK_STATUSES))
    .option('--after <id>', 'begin after this task', taskIdOf)
    .option('--limit <count>', 'the number of tasks, at most 1,000', pageLimitOf, 20)
    .action((options: ListTasksOptions) =>
      invoke(options, async () => (await import('./list-tasks.js')).listTasks),
    );
  command(mesh, 'show', 'Show a task and its lease.')
    .argument('<id>', 'the id of the task', taskIdOf)
    .requiredOption(...USER)
    .action((id: string, options: Omit<TaskOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./show-task.js')).showTask),
    );
  command(mesh, 'release', 'End the lease of a task for its agent, so that any other may take it.')
    .argument('<id>', 'the id of the task', taskIdOf)
    .requiredOption(...USER)
    .action((id: string, options: Omit<TaskOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./release-task.js')).releaseTask),
    );
};
