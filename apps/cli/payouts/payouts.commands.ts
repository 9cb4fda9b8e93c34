import { type Command, InvalidArgumentError, Option } from 'commander';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { depositIdOf, limitOf, pageLimitOf, reasonOf } from '../options.js';
import {
  type ApprovePayoutOptions,
  type PayPayoutOptions,
  type RejectPayoutOptions,
} from './change-payout.js';
import { type ListPayoutsOptions } from './list-payouts.js';
import { beneficiaryOf, payoutIdOf } from './payout-needs.js';

const PAGE = 100;

const countryOf = (text: string): string => {
  if (/^[A-Z]{2}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a code such as DE.');
};

const ofPayout = (parent: Command, usage: string, description: string): Command =>
  command(parent, usage, description)
    .requiredOption('--beneficiary <id>', 'such as partner-1 or investor-9', beneficiaryOf)
    .requiredOption('--payout <id>', 'the id of the payout', payoutIdOf);

export const declareCommands: DeclareCommands = (program, invoke) => {
  const payout = commandGroup(
    program,
    'payout',
    'Approve and pay what partners and investors ask.',
  );
  command(
    payout,
    'list',
    'List the payouts that wait for an Admin, or the payouts of a beneficiary.',
  )
    .option('--beneficiary <id>', 'such as partner-1 or investor-9', beneficiaryOf)
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .option('--limit <number>', 'how many at most', pageLimitOf, PAGE)
    .action((options: ListPayoutsOptions) =>
      invoke(options, async () => (await import('./list-payouts.js')).listPayouts),
    );
  const incomeType = new Option('--income-type <type>', 'the kind of income')
    .choices(['industrial_royalties', 'other_income'])
    .default('industrial_royalties');
  ofPayout(payout, 'approve', 'Approve a payout, and decide the tax that is withheld.')
    .requiredOption('--country <code>', 'of the payee: ISO 3166-1 alpha-2', countryOf)
    .addOption(incomeType)
    .option('--treaty', 'the payee has a valid claim of treaty benefits')
    .action((options: ApprovePayoutOptions) =>
      invoke(options, async () => (await import('./change-payout.js')).approvePayout),
    );
  ofPayout(payout, 'reject', 'Reject a payout; its amount can be asked for again.')
    .requiredOption('--reason <text>', 'the log keeps it, so it must name no person', reasonOf)
    .action((options: RejectPayoutOptions) =>
      invoke(options, async () => (await import('./change-payout.js')).rejectPayout),
    );
  ofPayout(payout, 'pay', 'Record that an approved payout was transferred.')
    .option('--yes', 'do not ask for confirmation')
    .requiredOption('--reference <text>', 'of the transfer; it must name no person', depositIdOf)
    .action((options: PayPayoutOptions) =>
      invoke(options, async () => (await import('./change-payout.js')).payPayout),
    );
};
