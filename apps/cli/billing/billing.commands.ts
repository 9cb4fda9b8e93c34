import { type Command, Option } from 'commander';
import { command, commandGroup, type DeclareCommands, type Invoke } from '../declare-command.js';
import {
  depositIdOf,
  instantOf,
  keyIdOf,
  limitOf,
  monthOf,
  percentsOf,
  reasonOf,
  requestIdOf,
  usdOf,
  tagOf,
  uuidOf,
} from '../options.js';
import { type BudgetOptions, type SetBudgetOptions } from './budgets.js';
import { type CheckLedgerOptions } from './check-ledger.js';
import { type ExplainRequestOptions } from './explain-request.js';
import { type CreditAccountOptions } from './credit-account.js';
import { type CreditNoteOptions } from './credit-note.js';
import { type ReplayPricesOptions } from './replay-prices.js';
import { type RerateOptions } from './rerate.js';
import { type ReverseDepositOptions } from './reverse-deposit.js';

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
  command(account, 'reverse', 'Take back a deposit whose payment was refunded or charged back.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--deposit-id <id>', 'the deposit', depositIdOf)
    .addOption(
      new Option('--kind <kind>', 'how it went back')
        .choices(['refund', 'chargeback'])
        .makeOptionMandatory(),
    )
    .requiredOption('--usd <amount>', 'all that went back in this way so far', usdOf)
    .requiredOption(
      '--reason <text>',
      'the reason; the log keeps it, so it must name no person',
      reasonOf,
    )
    .action((options: ReverseDepositOptions) =>
      invoke(options, async () => (await import('./reverse-deposit.js')).reverseDeposit),
    );
  addCorrections(program, invoke);
  declareBudgets(program, invoke);
  command(program, 'explain', 'Show the facts on which the ledger decided a request.')
    .argument('<request-id>', 'the x-request-id of the answer', requestIdOf)
    .option('--user <name>', 'the owner of the account; without it the log is searched')
    .action((requestId: string, options: Omit<ExplainRequestOptions, 'requestId'>) =>
      invoke(
        { ...options, requestId },
        async () => (await import('./explain-request.js')).explainRequest,
      ),
    );
  const ledger = commandGroup(program, 'ledger', 'Audit the ledger.');
  command(
    ledger,
    'check',
    'Prove that deposits - charges - holds + adjustments = available, for each account.',
  )
    .option('--full', 'also check the indexes of every file (integrity_check of SQLite)')
    .action((options: CheckLedgerOptions) =>
      invoke(options, async () => (await import('./check-ledger.js')).checkLedger),
    );
};

const addCorrections = (program: Command, invoke: Invoke): void => {
  command(program, 'credit-note', 'Give back a part of the charges of a user.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--usd <amount>', 'dollars, with at most 6 decimals', usdOf)
    .requiredOption('--month <month>', 'the statement that it corrects', monthOf)
    .requiredOption(
      '--reason <text>',
      'the reason; the log keeps it, so it must name no person',
      reasonOf,
    )
    .option('--request <id>', 'the charge that it corrects, by its x-request-id', uuidOf)
    .option('--id <id>', 'an id gives back only once; default: a new UUID', depositIdOf)
    .action((options: CreditNoteOptions) =>
      invoke(options, async () => (await import('./credit-note.js')).creditNote),
    );
  command(program, 'rerate', 'Correct the charges of a month to the prices of another rate card.')
    .requiredOption('--card <card>', 'the version of a rate card, or the path of a catalog file')
    .requiredOption('--month <month>', 'the statements whose charges are priced again', monthOf)
    .option('--user <name>', 'only the account of this user')
    .option('--reason <text>', 'the reason; the log keeps it, so it must name no person', reasonOf)
    .option('--dry-run', 'print the differences and write nothing')
    .action((options: RerateOptions) =>
      invoke(options, async () => (await import('./rerate.js')).rerate),
    );
  command(program, 'replay', 'Price past charges with another catalog file; nothing is written.')
    .requiredOption('--rate-card <file>', 'a catalog file with the other prices')
    .requiredOption('--from <time>', 'a day or an instant in UTC, inclusive', instantOf)
    .requiredOption('--to <time>', 'a day or an instant in UTC, exclusive', instantOf)
    .action((options: ReplayPricesOptions) =>
      invoke(options, async () => (await import('./replay-prices.js')).replayPrices),
    );
};

const declareBudgets: DeclareCommands = (program, invoke) => {
  const budget = commandGroup(
    program,
    'budget',
    'Limit what an account, its keys and its tags may spend.',
  );
  const ofOwner = (name: string, description: string) =>
    command(budget, name, description).requiredOption('--user <name>', 'the owner of the account');
  const keyed = (name: string, description: string) =>
    ofOwner(name, description)
      .addOption(
        new Option('--key <id>', 'the id of a key; default: the account')
          .argParser(keyIdOf)
          .conflicts('tag'),
      )
      .option('--tag <tag>', 'a tag of requests, such as project=alpha', tagOf);
  keyed('set', 'Set a budget as a whole: a limit that is left out is lifted.')
    .option('--usd-per-day <amount>', 'dollars of a day in UTC', usdOf)
    .option('--usd-per-week <amount>', 'dollars of a week from Monday in UTC', usdOf)
    .option('--usd-per-month <amount>', 'dollars of a month in UTC', usdOf)
    .option('--usd-in-total <amount>', 'dollars since it was first set', usdOf)
    .option('--requests-per-minute <number>', 'chat completions of a minute', limitOf)
    .option('--tokens-per-minute <number>', 'tokens of chat completions of a minute', limitOf)
    .option(
      '--alert-percents <list>',
      'what is reported of a dollar limit',
      percentsOf,
      [50, 80, 100],
    )
    .action((options: SetBudgetOptions) =>
      invoke(options, async () => (await import('./budgets.js')).setBudget),
    );
  keyed('remove', 'Remove a budget.').action((options: BudgetOptions) =>
    invoke(options, async () => (await import('./budgets.js')).removeBudget),
  );
  ofOwner('show', 'Show the budgets of an account and what is spent.').action(
    (options: BudgetOptions) =>
      invoke(options, async () => (await import('./budgets.js')).showBudgets),
  );
};
