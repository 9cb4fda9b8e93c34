import { InvalidArgumentError } from 'commander';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CheckCatalogOptions } from './check-catalog.js';
import { type ProposePricesOptions } from './propose-prices.js';

const another = (
  text: string,
  names: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> => {
  const [model = '', ...name] = text.split('=');
  if (model !== '' && name.join('=') !== '') return new Map([...names, [model, name.join('=')]]);
  throw new InvalidArgumentError('Expected the id of a model and its name, such as a/m=m-1.');
};

export const declareCommands: DeclareCommands = (program, invoke) => {
  const catalog = commandGroup(program, 'catalog', 'Check catalog files.');
  command(catalog, 'check', 'Check a catalog file, and list tokens without a price of their own.')
    .argument('<file>', 'the catalog file')
    .action((file: string, options: Omit<CheckCatalogOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./check-catalog.js')).checkCatalog),
    );
  const prices = commandGroup(program, 'prices', 'Take prices over from published lists.');
  command(prices, 'propose', 'Show the next rate card from a price list, and publish it.')
    .requiredOption('--from <file>', 'a price list of models.dev, OpenRouter or LiteLLM')
    .option('--provider <name>', 'only the rows of this provider')
    .option('--name <model=name>', 'how the list names a model; may be repeated', another)
    .option('--yes', 'publish without asking')
    .action((options: ProposePricesOptions) =>
      invoke(options, async () => (await import('./propose-prices.js')).proposePriceCard),
    );
};
