import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { limitOf } from '../options.js';
import { type ListBundlesOptions } from './list-bundles.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const dtn = commandGroup(program, 'dtn', 'Bundles in custody, and the contact plan.');
  command(dtn, 'plan', 'Show the links and the contacts that are planned by hand.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./show-plan.js')).showPlan),
  );
  command(dtn, 'bundles', 'List the bundles of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .action((options: ListBundlesOptions) =>
      invoke(options, async () => (await import('./list-bundles.js')).listBundles),
    );
};
