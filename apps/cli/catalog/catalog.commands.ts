import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CheckCatalogOptions } from './check-catalog.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const catalog = commandGroup(program, 'catalog', 'Check catalog files.');
  command(catalog, 'check', 'Check a catalog file, and list tokens without a price of their own.')
    .argument('<file>', 'the catalog file')
    .action((file: string, options: Omit<CheckCatalogOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./check-catalog.js')).checkCatalog),
    );
};
