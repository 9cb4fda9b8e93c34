import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { depositIdOf, reasonOf, usdOf } from '../options.js';
import { type CreditAccountOptions } from './credit-account.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const account = commandGroup(program, 'account', 'Credit accounts.');
  command(account, 'credit', 'Credit the account of a user.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--usd <amount>', 'dollars, with at most 6 decimals', usdOf)
    .requiredOption(
      '--reason <text>',
      'the reason; the log keeps it, so it must name no person',
      reasonOf,
    )
    .option('--deposit-id <id>', 'an id credits only once; default: a new UUID', depositIdOf)
    .action((options: CreditAccountOptions) =>
      invoke(options, async () => (await import('./credit-account.js')).creditAccount),
    );
  const ledger = commandGroup(program, 'ledger', 'Audit the ledger.');
  command(
    ledger,
    'check',
    'Prove that deposits - charges - holds = available, for each account.',
  ).action((options: CommonOptions) =>
    invoke(options, async () => (await import('./check-ledger.js')).checkLedger),
  );
};
