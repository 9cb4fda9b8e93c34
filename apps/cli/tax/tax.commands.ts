import { type Command } from 'commander';
import { command, commandGroup, type DeclareCommands, type Invoke } from '../declare-command.js';
import { countryOf, regionOf } from '../options.js';
import { type SetTaxStatusOptions, type ShowTaxStatusOptions } from './set-tax-status.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  addTax(commandGroup(program, 'tax', 'Set and show where users are taxed.'), invoke);
};

const addTax = (tax: Command, invoke: Invoke): void => {
  command(tax, 'set', 'Set where a user is taxed. What is not given is not verified.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--country <code>', 'ISO 3166-1 alpha-2, such as DE', countryOf)
    .option('--region <code>', 'ISO 3166-2 without the country, such as QC', regionOf)
    .option('--exempt', 'you have seen a certificate of exemption')
    .option('--business', 'you have verified a tax number')
    .option('--treaty-claimed', 'you have a valid claim of treaty benefits')
    .action((options: SetTaxStatusOptions) =>
      invoke(options, async () => (await import('./set-tax-status.js')).setTaxStatus),
    );
  command(tax, 'show', 'Show where a user is taxed.')
    .requiredOption('--user <name>', 'the owner of the account')
    .action((options: ShowTaxStatusOptions) =>
      invoke(options, async () => (await import('./set-tax-status.js')).showTaxStatus),
    );
};
