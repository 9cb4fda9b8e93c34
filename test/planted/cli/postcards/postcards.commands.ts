import { command, commandGroup, type DeclareCommands } from '#apps/cli/declare-command.js';
import { type ReadPostcardOptions } from './read-postcard.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const postcards = commandGroup(program, 'postcards', 'Read postcards.');
  command(postcards, 'read', 'Show a postcard.')
    .requiredOption('--account <id>', 'the account that wrote it')
    .requiredOption('--id <uuid>', 'the postcard')
    .action((options: ReadPostcardOptions) =>
      invoke(options, async () => (await import('./read-postcard.js')).readPostcard),
    );
};
