import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type ImportModelOptions } from './import-model.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const model = commandGroup(program, 'model', 'Import models for accounts.');
  command(model, 'import', 'Make a model of an account of a GGUF or safetensors file.')
    .argument('<file>', 'of Llama architecture')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--name <slug>', 'the second part of the name of the model')
    .requiredOption('--card <file>', 'JSON: name, licence, source; see POST /api/v1/models')
    .option('--config <file>', 'the config.json of safetensors')
    .option('--tokenizer <file>', 'the tokenizer.json of safetensors')
    .action((file: string, options: Omit<ImportModelOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./import-model.js')).importModel),
    );
};
