import { InvalidArgumentError } from 'commander';
import {
  SPEND_GROUPS_EXPECTED,
  type SpendGroup,
  spendGroupsOf,
} from '#areas/requests/spend-groups.js';
import { command, type DeclareCommands } from '../declare-command.js';
import { dayOf, pageLimitOf } from '../options.js';
import { type ListRequestsOptions } from './list-requests.js';
import { type ShowSpendOptions } from './show-spend.js';

const byOf = (text: string): readonly SpendGroup[] => {
  const groups = spendGroupsOf(text);
  if (groups) return groups;
  throw new InvalidArgumentError(`Expected ${SPEND_GROUPS_EXPECTED}.`);
};

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
  command(program, 'spend', 'Show the charges and corrections of an account by groups.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--from <day>', 'the first day, in the time zone', dayOf)
    .requiredOption('--to <day>', 'the last day, in the time zone', dayOf)
    .option('--by <names>', SPEND_GROUPS_EXPECTED, byOf, ['day'])
    .option('--tz <name>', 'the time zone, such as Europe/Berlin', 'UTC')
    .option('--csv', 'print CSV')
    .action((options: ShowSpendOptions) =>
      invoke(options, async () => (await import('./show-spend.js')).showSpend),
    );
};
