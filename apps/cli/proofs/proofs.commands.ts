import { command, commandGroup, type DeclareCommands, irreversible } from '../declare-command.js';
import { limitOf, pageLimitOf } from '../options.js';
import { type RegisterKeyOptions, type RetireKeyOptions } from './change-keys.js';
import { type ListKeysOptions } from './list-keys.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const keys = commandGroup(program, 'proof-key', 'Keys that zero-knowledge proofs verify with.');
  command(keys, 'register', 'Register a verification key.')
    .argument('<file>', 'the key, as `snarkjs zkey export verificationkey` writes it')
    .requiredOption('--id <id>', 'its id: lower case, digits and dashes')
    .requiredOption('--source <text>', 'where the key comes from, such as a ceremony')
    .action((file: string, options: Omit<RegisterKeyOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./change-keys.js')).registerKey),
    );
  irreversible(keys, 'retire', 'Retire a verification key.')
    .argument('<id>', 'the id that list shows')
    .action((id: string, options: Omit<RetireKeyOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./change-keys.js')).retireKey),
    );
  command(keys, 'list', 'List the verification keys.')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .option('--limit <count>', 'how many at most', pageLimitOf, 20)
    .action((options: ListKeysOptions) =>
      invoke(options, async () => (await import('./list-keys.js')).listKeys),
    );
};
