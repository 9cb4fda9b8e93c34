import { Option } from 'commander';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { limitOf } from '../options.js';
import { type CreateRoomOptions } from './create-room.js';
import { type ListRoomsOptions } from './list-rooms.js';
import { decimalOf } from './decimal-option.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const rooms = commandGroup(program, 'cleanroom', 'Create, list and audit clean rooms.');
  command(rooms, 'create', 'Create a clean room with a privacy budget.')
    .requiredOption('--user <name>', 'the owner of the account that administers the room')
    .requiredOption('--name <text>', 'the name of the room')
    .requiredOption('--epsilon <number>', 'the epsilon of all answers together', decimalOf)
    .option('--delta <number>', 'the delta of the rule zcdp', decimalOf, '0')
    .addOption(
      new Option('--rule <rule>', 'how answers add up').choices(['pure', 'zcdp']).default('pure'),
    )
    .option('--contributors-min <count>', 'accounts with rows before a query', limitOf, 2)
    .option('--contributor <names...>', 'users whose accounts deposit rows', [])
    .option('--analyst <names...>', 'users whose accounts ask', [])
    .action((options: CreateRoomOptions) =>
      invoke(options, async () => (await import('./create-room.js')).createRoom),
    );
  command(rooms, 'list', 'List the clean rooms of all accounts, or of one.')
    .option('--user <name>', 'the owner of an account that takes part')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .action((options: ListRoomsOptions) =>
      invoke(options, async () => (await import('./list-rooms.js')).listRooms),
    );
  command(rooms, 'audit', 'Compute the budget of every clean room again from the log.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./audit-rooms.js')).auditRooms),
  );
};
