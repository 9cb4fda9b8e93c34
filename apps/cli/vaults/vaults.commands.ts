import { type Command } from 'commander';
import {
  command,
  commandGroup,
  type DeclareCommands,
  type Invoke,
  irreversible,
} from '../declare-command.js';
import { limitOf, urlOf } from '../options.js';
import { type EraseVaultOptions } from './erase-vault.js';
import { type ClearanceOptions } from './set-clearance.js';
import { type ListVaultsOptions } from './list-vaults.js';
import { type CreateVaultOptions, type IngestOptions, type SearchOptions } from './use-vault.js';

const GATEWAY = 'http://127.0.0.1:8080';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const vaults = commandGroup(program, 'vault', 'Vaults of encrypted documents.');
  addChanges(vaults, invoke);
  addContent(vaults, invoke);
  command(vaults, 'clearance', 'Set what an account, or one of its keys, may see in vaults.')
    .argument('[marking]', 'such as SECRET//ALPHA; left out: the clearance is withdrawn')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--key <id>', 'the id of a key, which is then cleared for no more')
    .action((marking: string | undefined, options: Omit<ClearanceOptions, 'marking'>) =>
      invoke(
        { ...options, marking },
        async () => (await import('./set-clearance.js')).setClearance,
      ),
    );
};

const addChanges = (vaults: Command, invoke: Invoke): void => {
  command(vaults, 'list', 'List the vaults of an account.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .action((options: ListVaultsOptions) =>
      invoke(options, async () => (await import('./list-vaults.js')).listVaults),
    );
  irreversible(
    vaults,
    'erase',
    'Destroy the keys of a vault: no copy of its content opens any more.',
  )
    .argument('<vault>', 'the id that list shows')
    .requiredOption('--user <name>', 'the owner of the account')
    .action((vault: string, options: Omit<EraseVaultOptions, 'vault'>) =>
      invoke({ ...options, vault }, async () => (await import('./erase-vault.js')).eraseVault),
    );
};

const addContent = (vaults: Command, invoke: Invoke): void => {
  command(vaults, 'create', 'Create a vault, by a gateway and QUIPU_API_KEY.')
    .requiredOption('--name <text>', 'the name of the vault')
    .option('--model <id>', 'an embedding model; default: QUIPU_VAULT_MODEL')
    .option('--gateway <url>', 'a running gateway', urlOf, GATEWAY)
    .action((options: CreateVaultOptions) =>
      invoke(options, async () => (await import('./use-vault.js')).createVault),
    );
  command(vaults, 'ingest', 'Bring a text into a vault, by a gateway and QUIPU_API_KEY.')
    .argument('<vault>', 'the id that list shows')
    .argument('<file>', 'a text in UTF-8')
    .option('--gateway <url>', 'a running gateway', urlOf, GATEWAY)
    .option('--title <text>', 'the title; default: the name of the file')
    .option('--marking <marking>', 'such as SECRET//ALPHA; default: the lowest level')
    .action((vault: string, file: string, options: Omit<IngestOptions, 'vault' | 'file'>) =>
      invoke({ ...options, vault, file }, async () => (await import('./use-vault.js')).ingestFile),
    );
  command(vaults, 'search', 'Find passages of a vault, by a gateway and QUIPU_API_KEY.')
    .argument('<vault>', 'the id that list shows')
    .argument('<query>', 'what to look for, in words')
    .option('--gateway <url>', 'a running gateway', urlOf, GATEWAY)
    .option('--top <count>', 'the most passages', limitOf, 5)
    .action((vault: string, query: string, options: Omit<SearchOptions, 'vault' | 'query'>) =>
      invoke(
        { ...options, vault, query },
        async () => (await import('./use-vault.js')).searchVault,
      ),
    );
};
