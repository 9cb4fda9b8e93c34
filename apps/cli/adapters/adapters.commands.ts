import { command, commandGroup, type DeclareCommands, irreversible } from '../declare-command.js';
import { type ListAdaptersOptions } from './list-adapters.js';
import { type RemoveAdapterOptions } from './remove-adapter.js';
import { type UploadAdapterOptions } from './upload-adapter.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const adapters = commandGroup(program, 'adapters', 'List, upload and remove adapters (LoRA).');
  command(adapters, 'list', 'List the adapters that an account may use.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--category <word>', 'only adapters of a category')
    .option('--base-model <id>', 'only adapters of a model')
    .action((options: ListAdaptersOptions) =>
      invoke(options, async () => (await import('./list-adapters.js')).listAdapters),
    );
  command(adapters, 'upload', 'Upload an adapter from a folder that peft has saved.')
    .argument('<folder>', 'with adapter_config.json and adapter_model.safetensors')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--slug <word>', 'a name that no other adapter of the account has')
    .requiredOption('--category <word>', 'by which the vault is filtered')
    .requiredOption('--base-model <id>', 'a model of the catalog that Quipu serves itself')
    .action((folder: string, options: Omit<UploadAdapterOptions, 'folder'>) =>
      invoke(
        { ...options, folder },
        async () => (await import('./upload-adapter.js')).uploadAdapter,
      ),
    );
  irreversible(adapters, 'remove', 'Remove an uploaded adapter.')
    .argument('<adapter>', 'its slug or its id')
    .requiredOption('--user <name>', 'the owner of the account')
    .action((adapter: string, options: Omit<RemoveAdapterOptions, 'adapter'>) =>
      invoke(
        { ...options, adapter },
        async () => (await import('./remove-adapter.js')).removeAdapter,
      ),
    );
};
