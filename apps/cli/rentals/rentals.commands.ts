import { command, commandGroup, type DeclareCommands, irreversible } from '../declare-command.js';
import { limitOf, pageLimitOf } from '../options.js';
import { type ListRentalsOptions } from './list-rentals.js';
import { type RentalLogsOptions } from './rental-logs.js';
import { type RentalOptions } from './rental-output.js';
import { type StartRentalOptions } from './start-rental.js';
import { type StopRentalOptions } from './stop-rental.js';

type Shared<Options extends RentalOptions> = Omit<Options, 'number'>;
const NUMBER = 'the number that list shows';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const rentals = commandGroup(program, 'rentals', 'Start, list, follow and stop rentals.');
  command(rentals, 'start', 'Have a running server start a program in a rental.')
    .requiredOption('--user <name>', 'the owner of the account that pays')
    .requiredOption('--rig <name>', 'a rig with an hourly price')
    .option('--image <name>', 'the image of the container')
    .argument('<words...>', 'the program and its arguments, after --')
    .action((words: string[], options: Omit<StartRentalOptions, 'words'>) =>
      invoke({ ...options, words }, async () => (await import('./start-rental.js')).startRental),
    );
  command(rentals, 'list', 'List the rentals of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--after <number>', 'begin after this rental', limitOf)
    .option('--limit <count>', 'the number of rentals, at most 1,000', pageLimitOf, 20)
    .action((options: ListRentalsOptions) =>
      invoke(options, async () => (await import('./list-rentals.js')).listRentals),
    );
  command(rentals, 'show', 'Show a rental.')
    .argument('<number>', NUMBER, limitOf)
    .action((number: number, options: Shared<RentalOptions>) =>
      invoke({ ...options, number }, async () => (await import('./show-rental.js')).showRental),
    );
  irreversible(rentals, 'stop', 'Stop a rental; an ended one stays as it is.')
    .argument('<number>', NUMBER, limitOf)
    .action((number: number, options: Shared<StopRentalOptions>) =>
      invoke({ ...options, number }, async () => (await import('./stop-rental.js')).stopRental),
    );
  command(rentals, 'logs', 'Print what the program of a rental wrote.')
    .argument('<number>', NUMBER, limitOf)
    .option('--follow', 'go on until the rental has ended, or Ctrl-C')
    .action((number: number, options: Shared<RentalLogsOptions>) =>
      invoke({ ...options, number }, async () => (await import('./rental-logs.js')).rentalLogs),
    );
};
