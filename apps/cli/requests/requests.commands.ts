import { command, type DeclareCommands } from '../declare-command.js';
import { pageLimitOf } from '../options.js';
import { type ListRequestsOptions } from './list-requests.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  command(program, 'requests', 'List the paid requests of an account, the last first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--from <instant>', 'only requests that ended from here on, such as 2026-11-21T04:48Z')
    .option('--to <instant>', 'only requests that ended before')
    .option('--key <id>', 'only of this key')
    .option('--model <id>', 'only for this model')
    .option('--rig <name>', 'only with work of this rig')
    .option('--end-user <hash>', 'only of this end user, by the hash of the list')
    .option('--tag <name=value>', 'only with this tag')
    .option('--status <end>', 'only charged, released or expired ones')
    .option('--after <cursor>', 'where the page begins, as the page before says')
    .option('--limit <number>', 'requests of the page', pageLimitOf, 50)
    .action((options: ListRequestsOptions) =>
      invoke(options, async () => (await import('./list-requests.js')).listRequests),
    );
};
