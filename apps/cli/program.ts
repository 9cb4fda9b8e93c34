import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option, type OutputConfiguration } from 'commander';
import { type CreateUserOptions } from './commands/create-user.js';
import { type CreditAccountOptions } from './commands/credit-account.js';
import { type ListDeadLettersOptions } from './commands/list-dead-letters.js';
import { type RetryDeadLetterOptions } from './commands/retry-dead-letter.js';
import { type EraseUserOptions } from './commands/erase-user.js';
import { type RebuildProjectionsOptions } from './commands/rebuild-projections.js';
import { type RotateKeyOptions } from './commands/rotate-key.js';
import { type TailEventsOptions } from './commands/tail-events.js';
import { type CommonOptions, type Run } from './invocation.js';
import { depositIdOf, limitOf, prefixOf, reasonOf, startOfTailOf, usdOf } from './options.js';

/** Runs a command whose code is loaded only now: composing Quipu costs more than printing help. */
export type Invoke = <Options extends CommonOptions>(
  options: Options,
  load: () => Promise<Run<Options>>,
) => Promise<void>;

const EXIT_CODES = `
Exit codes: 0 done; 1 refused, failed or not balanced; 2 bad usage or settings; 130 interrupted.
Settings: QUIPU_HOME and the others of the server; a server may be running on the same home.`;

/** The whole command line. Parsing refuses what is malformed before anything is opened. */
export const createProgram = (invoke: Invoke, output: OutputConfiguration = {}): Command => {
  const program = new Command('quipu')
    .description('Operates an installation of Quipu: users, keys, credit, events, read models.')
    .version(versionOf(import.meta.dirname), '-V, --version')
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(add --help for what there is)')
    .configureOutput(output)
    .exitOverride();
  addUser(group(program, 'user', 'Create and erase users.'), invoke);
  addKey(group(program, 'key', 'Replace keys.'), invoke);
  addAccount(group(program, 'account', 'Credit accounts.'), invoke);
  addEvents(group(program, 'events', 'Read the log of events.'), invoke);
  addProjections(group(program, 'projections', 'Look after the read models.'), invoke);
  addLedger(group(program, 'ledger', 'Audit the ledger.'), invoke);
  addDeadLetters(group(program, 'deadletters', 'Look after messages that failed.'), invoke);
  return program;
};

/** The sources and what they are compiled to lie at different depths. */
const versionOf = (folder: string): string => {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return versionOf(path.dirname(folder));
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
};

const group = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description);

const command = (parent: Command, usage: string, description: string): Command =>
  parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', EXIT_CODES);

const addUser = (user: Command, invoke: Invoke): void => {
  command(user, 'create', 'Create a user with an account and two keys, which are shown once.')
    .requiredOption('--username <name>', '3 to 64 letters, digits, or any of . _ @ -')
    .requiredOption('--email <address>', 'where to reach the user')
    .requiredOption('--role <role>', 'renter, Partner, Investor or Admin')
    .option('--password <password>', '8 characters or more; one is made up otherwise')
    .action((options: CreateUserOptions) =>
      invoke(options, async () => (await import('./commands/create-user.js')).createUser),
    );
  command(user, 'erase', 'Destroy the personal data of a user, for ever; the ledger stays.')
    .requiredOption('--username <name>', 'whom to erase')
    .option('--yes', 'do not ask')
    .action((options: EraseUserOptions) =>
      invoke(options, async () => (await import('./commands/erase-user.js')).eraseUser),
    );
};

const addKey = (key: Command, invoke: Invoke): void => {
  const kind = new Option('--kind <kind>', 'which key').choices(['api', 'renter']).default('api');
  command(key, 'rotate', 'Issue a new key, shown once; every other of its kind ends.')
    .requiredOption('--user <name>', 'whose key')
    .addOption(kind)
    .action((options: RotateKeyOptions) =>
      invoke(options, async () => (await import('./commands/rotate-key.js')).rotateKey),
    );
};

const addAccount = (account: Command, invoke: Invoke): void => {
  command(account, 'credit', 'Credit the account of a user.')
    .requiredOption('--user <name>', 'whose account')
    .requiredOption('--usd <amount>', 'dollars, with at most 6 decimals', usdOf)
    .requiredOption('--reason <text>', 'why; it stands in the log and must name nobody', reasonOf)
    .option('--deposit-id <id>', 'the same id credits once; default a new UUID', depositIdOf)
    .action((options: CreditAccountOptions) =>
      invoke(options, async () => (await import('./commands/credit-account.js')).creditAccount),
    );
};

const addEvents = (events: Command, invoke: Invoke): void => {
  const stream = new Option('--filter-stream <prefix>', 'only streams whose name starts so');
  const type = new Option('--filter-type <prefix>', 'only events whose type starts so');
  command(events, 'tail', 'Print the events of the log, a line each.')
    .option('--from <position>', 'begin at this position; "end": with what comes', startOfTailOf)
    .addOption(stream.argParser(prefixOf).conflicts('filterType'))
    .addOption(type.argParser(prefixOf))
    .option('--follow', 'go on with what comes, until Ctrl-C')
    .option('--limit <count>', 'end after so many events', limitOf)
    .action((options: TailEventsOptions) =>
      invoke(options, async () => (await import('./commands/tail-events.js')).tailEvents),
    );
};

const addProjections = (projections: Command, invoke: Invoke): void => {
  command(projections, 'status', 'Show how far each read model has come.').action(
    (options: CommonOptions) =>
      invoke(
        options,
        async () => (await import('./commands/projections-status.js')).projectionsStatus,
      ),
  );
  command(projections, 'rebuild', 'Build read models from zero beside those that serve; switch.')
    .argument('[names...]', 'which, by the names that status shows')
    .option('--all', 'every one')
    .action((names: string[], options: Omit<RebuildProjectionsOptions, 'names'>) =>
      invoke(
        { ...options, names },
        async () => (await import('./commands/rebuild-projections.js')).rebuildProjections,
      ),
    );
};

const addLedger = (ledger: Command, invoke: Invoke): void => {
  command(
    ledger,
    'check',
    'Prove that deposits - charges - holds = available, for each account.',
  ).action((options: CommonOptions) =>
    invoke(options, async () => (await import('./commands/check-ledger.js')).checkLedger),
  );
};

const addDeadLetters = (deadLetters: Command, invoke: Invoke): void => {
  command(deadLetters, 'list', 'Show the messages that a group has given up.')
    .requiredOption('--topic <name>', 'of the bus')
    .requiredOption('--group <name>', 'whose')
    .action((options: ListDeadLettersOptions) =>
      invoke(
        options,
        async () => (await import('./commands/list-dead-letters.js')).listDeadLetters,
      ),
    );
  command(deadLetters, 'retry', 'Take messages off the list and deliver them to the group anew.')
    .requiredOption('--topic <name>', 'of the bus')
    .requiredOption('--group <name>', 'whose')
    .argument('[ids...]', 'which, by the ids that list shows')
    .option('--all', 'every one')
    .action((ids: string[], options: Omit<RetryDeadLetterOptions, 'ids'>) =>
      invoke(
        { ...options, ids },
        async () => (await import('./commands/retry-dead-letter.js')).retryDeadLetter,
      ),
    );
};
