import { type Command, Option } from 'commander';
import { command, commandGroup, type DeclareCommands, type Invoke } from '../declare-command.js';
import { type CreateUserOptions } from './create-user.js';
import { type EraseUserOptions } from './erase-user.js';
import { type RotateKeyOptions } from './rotate-key.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  addUser(commandGroup(program, 'user', 'Create and erase users.'), invoke);
  addKey(commandGroup(program, 'key', 'Replace keys.'), invoke);
};

const addUser = (user: Command, invoke: Invoke): void => {
  command(user, 'create', 'Create a user with an account and two keys, which are shown once.')
    .requiredOption('--username <name>', '3 to 64 letters, digits, or any of . _ @ -')
    .requiredOption('--email <address>', 'where to reach the user')
    .requiredOption('--role <role>', 'renter, Partner, Investor or Admin')
    .option('--password <password>', '8 characters or more; one is generated otherwise')
    .action((options: CreateUserOptions) =>
      invoke(options, async () => (await import('./create-user.js')).createUser),
    );
  command(user, 'erase', 'Destroy the personal data of a user, for ever; the ledger stays.')
    .requiredOption('--username <name>', 'the user to erase')
    .option('--yes', 'do not ask')
    .action((options: EraseUserOptions) =>
      invoke(options, async () => (await import('./erase-user.js')).eraseUser),
    );
};

const addKey = (key: Command, invoke: Invoke): void => {
  const kind = new Option('--kind <kind>', 'which key').choices(['api', 'renter']).default('api');
  command(key, 'rotate', 'Issue a new key, shown once; every other key of its kind ends.')
    .requiredOption('--user <name>', 'the owner of the key')
    .addOption(kind)
    .action((options: RotateKeyOptions) =>
      invoke(options, async () => (await import('./rotate-key.js')).rotateKey),
    );
};
