import { InvalidArgumentError } from 'commander';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { limitOf, pageLimitOf, prefixOf } from '../options.js';
import { type CancelRunOptions } from './cancel-run.js';
import { type ListRunsOptions } from './list-runs.js';
import { type ListWorkflowsOptions } from './list-workflows.js';
import { type ShowWorkflowOptions } from './show-workflow.js';
import { type StoreWorkflowOptions } from './store-workflow.js';

const nameOf = (text: string): string => {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected lower case, digits, dashes and underscores.');
};

export const declareCommands: DeclareCommands = (program, invoke) => {
  const workflows = commandGroup(
    program,
    'workflows',
    'Create, version, list and show workflows; list and cancel runs.',
  );
  command(workflows, 'create', 'Create a workflow from a JSON file.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--name <name>', 'a name that no other workflow of the account has', nameOf)
    .requiredOption('--file <path>', 'the definition')
    .action((options: StoreWorkflowOptions) =>
      invoke(options, async () => (await import('./store-workflow.js')).storeWorkflow),
    );
  command(workflows, 'version', 'Add a version to a workflow from a JSON file.')
    .argument('<id>', 'the id that list shows', limitOf)
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--file <path>', 'the definition')
    .action((id: number, options: Omit<StoreWorkflowOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./store-workflow.js')).storeWorkflow),
    );
  command(workflows, 'list', 'List the workflows of an account.')
    .requiredOption('--user <name>', 'the owner of the account')
    .action((options: ListWorkflowsOptions) =>
      invoke(options, async () => (await import('./list-workflows.js')).listWorkflows),
    );
  command(workflows, 'show', 'Show the definition of a workflow.')
    .argument('<id>', 'the id that list shows', limitOf)
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--at <version>', 'a version; default: the newest', limitOf)
    .action((id: number, options: Omit<ShowWorkflowOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./show-workflow.js')).showWorkflow),
    );
  command(workflows, 'runs', 'List the runs of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--after <place>', 'begin after this place, which the page before has named', prefixOf)
    .option('--limit <count>', 'the number of runs, at most 1,000', pageLimitOf, 20)
    .action((options: ListRunsOptions) =>
      invoke(options, async () => (await import('./list-runs.js')).listRuns),
    );
  command(workflows, 'cancel', 'Cancel a run, also while no gateway runs.')
    .argument('<id>', 'the id that runs shows')
    .action((id: string, options: Omit<CancelRunOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./cancel-run.js')).cancelRun),
    );
};
