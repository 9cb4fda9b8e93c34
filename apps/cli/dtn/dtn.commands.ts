import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { limitOf } from '../options.js';
import { type ListOfAccountOptions } from './dtn.needs.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const dtn = commandGroup(program, 'dtn', 'Bundles in custody, and the contact plan.');
  command(dtn, 'plan', 'Show the links and the contacts that are planned by hand.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./show-plan.js')).showPlan),
  );
  command(dtn, 'bundles', 'List the bundles of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .action((options: ListOfAccountOptions) =>
      invoke(options, async () => (await import('./list-bundles.js')).listBundles),
    );
  command(dtn, 'requests', 'List the requests of an account to other nodes, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .action((options: ListOfAccountOptions) =>
      invoke(options, async () => (await import('./list-requests.js')).listRequests),
    );
};
