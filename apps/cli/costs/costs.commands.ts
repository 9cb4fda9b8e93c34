import { InvalidArgumentError } from 'commander';
import { groupsOf } from '#areas/costs/margin-fields.js';
import { MARGIN_GROUPS, type MarginGroup } from '#areas/costs/margin-groups.js';
import { command, type DeclareCommands } from '../declare-command.js';
import { dayOf } from '../options.js';
import { type MarginOptions } from './margin.js';
import { type ReconcileOptions } from './reconcile.js';

const byOf = (text: string): readonly MarginGroup[] => {
  const groups = groupsOf(text);
  if (groups.length === text.split(',').length) return groups;
  throw new InvalidArgumentError(
    `Expected names of ${MARGIN_GROUPS.join(', ')}, joined by commas.`,
  );
};

const another = (rig: string, rigs: readonly string[] = []): readonly string[] => [...rigs, rig];

export const declareCommands: DeclareCommands = (program, invoke) => {
  command(program, 'margin', 'Show the charges, their costs and the margin.')
    .requiredOption('--from <day>', 'the first day, in UTC', dayOf)
    .requiredOption('--to <day>', 'the last day, in UTC', dayOf)
    .option('--by <names>', `of ${MARGIN_GROUPS.join(', ')}, joined by commas`, byOf, ['model'])
    .option('--account <id>', 'only of this account')
    .option('--rig <name>', 'only of this rig; may be repeated', another)
    .option('--csv', 'print CSV')
    .action((options: MarginOptions) =>
      invoke(options, async () => (await import('./margin.js')).margin),
    );
  command(program, 'reconcile', "Compare a provider's bill with recorded costs and charges.")
    .argument('<file>', 'a CSV export of OpenAI, Anthropic or Azure')
    .option('--rig <name>', 'only of this rig; may be repeated', another)
    .option('--csv', 'print CSV')
    .action((file: string, options: Omit<ReconcileOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./reconcile.js')).reconcileBill),
    );
};
