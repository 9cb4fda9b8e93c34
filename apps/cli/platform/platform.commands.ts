import { type Command, Option } from 'commander';
import {
  command,
  commandGroup,
  type DeclareCommands,
  type Invoke,
  logGroup,
  irreversible,
} from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { type BackUpOptions } from './back-up.js';
import { type ClaimLogOptions } from './claim-log.js';
import { type ConfirmLogOptions } from './confirm-log.js';
import { type CopyLogOptions } from './copy-log.js';
import { limitOf, prefixOf, startOfTailOf } from '../options.js';
import { type ListDeadLettersOptions } from './list-dead-letters.js';
import { type RebuildProjectionsOptions } from './rebuild-projections.js';
import { type RestoreOptions } from './restore.js';
import { type RetryDeadLetterOptions } from './retry-dead-letter.js';
import { type RotateMasterKeyOptions } from './rotate-master-key.js';
import { type TailEventsOptions } from './tail-events.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  addEvents(commandGroup(program, 'events', 'Read the log of events.'), invoke);
  addProjections(commandGroup(program, 'projections', 'Inspect and rebuild read models.'), invoke);
  addDeadLetters(commandGroup(program, 'deadletters', 'List and retry failed messages.'), invoke);
  addBackups(program, invoke);
  addMasterKey(commandGroup(program, 'master-key', 'Replace the master key.'), invoke);
  addLog(logGroup(program), invoke);
};

const addEvents = (events: Command, invoke: Invoke): void => {
  const stream = new Option(
    '--filter-stream <prefix>',
    'only streams whose name starts with this prefix',
  );
  const type = new Option(
    '--filter-type <prefix>',
    'only events whose type starts with this prefix',
  );
  command(events, 'tail', 'Print the events of the log, one per line.')
    .option(
      '--from <position>',
      'begin at the event of this number, from 1; "end": only new events',
      startOfTailOf,
    )
    .addOption(stream.argParser(prefixOf).conflicts('filterType'))
    .addOption(type.argParser(prefixOf))
    .option('--follow', 'print new events until Ctrl-C')
    .option('--limit <count>', 'end after this number of events', limitOf)
    .action((options: TailEventsOptions) =>
      invoke(options, async () => (await import('./tail-events.js')).tailEvents),
    );
};

const addProjections = (projections: Command, invoke: Invoke): void => {
  command(projections, 'status', 'Show the position of each read model.').action(
    (options: CommonOptions) =>
      invoke(options, async () => (await import('./projections-status.js')).projectionsStatus),
  );
  command(projections, 'rebuild', 'Build new generations of read models, then switch to them.')
    .argument('[names...]', 'names that status shows')
    .option('--all', 'all projections')
    .action((names: string[], options: Omit<RebuildProjectionsOptions, 'names'>) =>
      invoke(
        { ...options, names },
        async () => (await import('./rebuild-projections.js')).rebuildProjections,
      ),
    );
};

const addDeadLetters = (deadLetters: Command, invoke: Invoke): void => {
  command(deadLetters, 'list', 'Show the dead letters of a group, with the reason.')
    .requiredOption('--topic <name>', 'the topic of the bus')
    .requiredOption('--group <name>', 'the group of consumers')
    .action((options: ListDeadLettersOptions) =>
      invoke(options, async () => (await import('./list-dead-letters.js')).listDeadLetters),
    );
  command(deadLetters, 'retry', 'Take messages off the list and deliver them to the group again.')
    .requiredOption('--topic <name>', 'the topic of the bus')
    .requiredOption('--group <name>', 'the group of consumers')
    .argument('[ids...]', 'ids that list shows')
    .option('--all', 'all dead letters')
    .action((ids: string[], options: Omit<RetryDeadLetterOptions, 'ids'>) =>
      invoke(
        { ...options, ids },
        async () => (await import('./retry-dead-letter.js')).retryDeadLetter,
      ),
    );
};

const addBackups = (program: Command, invoke: Invoke): void => {
  command(program, 'backup', 'Copy the stores and blobs of an installation while it runs.')
    .argument('<folder>', 'the folder to create')
    .option('--no-blobs', 'leave the blobs to the tools of their storage')
    .action((folder: string, options: Omit<BackUpOptions, 'folder'>) =>
      invoke({ ...options, folder }, async () => (await import('./back-up.js')).backUpInstallation),
    );
  command(program, 'restore', 'Put the stores and blobs of a backup where the settings say.')
    .argument('<folder>', 'the folder that backup created')
    .action((folder: string, options: Omit<RestoreOptions, 'folder'>) =>
      invoke(
        { ...options, folder },
        async () => (await import('./restore.js')).restoreInstallation,
      ),
    );
};

const addLog = (log: Command, invoke: Invoke): void => {
  command(log, 'confirm', 'Say that a restored or exchanged log counts, so that it may be charged.')
    .requiredOption('--reason <text>', 'why the log lacks events; it is kept in the log')
    .action((options: ConfirmLogOptions) =>
      invoke(options, async () => (await import('./confirm-log.js')).confirmLog),
    );
  irreversible(log, 'claim', 'Take a log over with other subject keys, where its own are lost.')
    .requiredOption('--reason <text>', 'why its subject keys are lost; it is kept in the log')
    .action((options: ClaimLogOptions) =>
      invoke(options, async () => (await import('./claim-log.js')).claimLog),
    );
  command(
    log,
    'user',
    'Create the user of QUIPU_EVENT_STORE on its server, with the right to read.',
  )
    .addHelpText(
      'after',
      '\nQUIPU_EVENT_STORE_ADMIN is the server with an administrator’s password.',
    )
    .action((options: CommonOptions) =>
      invoke(options, async () => (await import('./provide-log-user.js')).provideUser),
    );
  command(log, 'copy', 'Copy a log to another store, compare both, and say the root.')
    .requiredOption('--from <url>', 'sqlite:<file>, esdb://… or kurrentdb://…')
    .requiredOption('--to <url>', 'the same; empty, or with the beginning of the log')
    .option('--from-prefix <prefix>', 'QUIPU_LOG_PREFIX of the log')
    .option('--to-prefix <prefix>', 'QUIPU_LOG_PREFIX of the copy')
    .option('--follow', 'copy what is appended meanwhile, until Ctrl-C')
    .option('--one-by-one', 'wait for each append: slow, for a server that may refuse some')
    .action((options: CopyLogOptions) =>
      invoke(options, async () => (await import('./copy-log.js')).copyLog),
    );
};

const addMasterKey = (masterKey: Command, invoke: Invoke): void => {
  command(masterKey, 'rotate', 'Seal the key of the installation with a new master key.')
    .option('--to <file>', 'leave the old file, and write the new master key here, or take it')
    .action((options: RotateMasterKeyOptions) =>
      invoke(options, async () => (await import('./rotate-master-key.js')).rotateKeyOfLog),
    );
};
