import { Option } from 'commander';
import { SHOWN_STATUSES } from '#projections/jobs/jobs.projection.js';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { pageLimitOf, prefixOf } from '../options.js';
import { type ListQuantizationsOptions } from './list-quantizations.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const quantization = commandGroup(program, 'quantization', 'List quantizations.');
  command(quantization, 'list', 'List the quantizations of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .addOption(
      new Option('--state <state>', 'only quantizations in this state').choices(SHOWN_STATUSES),
    )
    .option('--after <id>', 'begin after this quantization', prefixOf)
    .option('--limit <count>', 'the number of quantizations, at most 1,000', pageLimitOf, 20)
    .action((options: ListQuantizationsOptions) =>
      invoke(options, async () => (await import('./list-quantizations.js')).listQuantizations),
    );
};
