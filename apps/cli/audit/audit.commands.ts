import { type Command } from 'commander';
import {
  command,
  commandGroup,
  type DeclareCommands,
  type Invoke,
  logGroup,
} from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { leafOf, limitOf } from '../options.js';
import { type ExportLogOptions } from './export-log.js';
import { type ExportStatementOptions } from './export-statement.js';
import { type ImportLogOptions } from './import-log.js';
import { monthOf } from './month-option.js';
import { type VerifyBillOptions } from './verify-bill.js';
import { type VerifyImageOptions } from './verify-image.js';
import { type VerifyLogArchiveOptions } from './verify-log-archive.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const audit = commandGroup(program, 'audit', 'Verify the transparency log.');
  command(
    audit,
    'verify',
    'Compare every event with the Merkle tree, and both with the last published checkpoint.',
  ).action((options: CommonOptions) =>
    invoke(options, async () => (await import('./verify-log.js')).verifyLog),
  );
  command(audit, 'image', 'Verify the claim of a picture, and that the log has its request.')
    .argument('<file>', 'a PNG file that Quipu made')
    .option('--key <key>', 'the verifier key of the log; then no installation is needed')
    .action((file: string, options: Omit<VerifyImageOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./verify-image.js')).verifyImage),
    );
  const statement = commandGroup(program, 'statement', 'Export statements with their proof.');
  command(statement, 'export', 'Write the archive of a statement, which verify-bill proves.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--month <month>', 'the month, in UTC, such as 2026-11', monthOf)
    .option('--out <file>', 'the file; default: statement-<month>.zip')
    .action((options: ExportStatementOptions) =>
      invoke(options, async () => (await import('./export-statement.js')).exportStatement),
    );
  const verifyBill = command(
    program,
    'verify-bill',
    'Prove the archive of a statement; needs no installation.',
  );
  addTrust(verifyBill.argument('<file>', 'the archive that statement export wrote')).action(
    (file: string, options: Omit<VerifyBillOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./verify-bill.js')).verifyBillFile),
  );
  addArchives(logGroup(program), invoke);
};

const addArchives = (log: Command, invoke: Invoke): void => {
  command(log, 'export', 'Write a range of the log with the proof that the log has it.')
    .argument('<file>', 'the archive to write')
    .option('--first <leaf>', 'the first leaf; leaves count from 0', leafOf, 0)
    .option('--end <leaf>', 'the leaf behind the last one; default: all that are published', leafOf)
    .action((file: string, options: Omit<ExportLogOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./export-log.js')).exportLog),
    );
  const verify = command(log, 'verify', 'Prove an archive; needs no installation.');
  addTrust(verify.argument('<file>', 'the archive that log export wrote')).action(
    (file: string, options: Omit<VerifyLogArchiveOptions, 'file'>) =>
      invoke(
        { ...options, file },
        async () => (await import('./verify-log-archive.js')).verifyLogArchive,
      ),
  );
  const load = command(log, 'import', 'Prove archives of a whole log, and write it to a store.')
    .argument('<files...>', 'archives of adjoining ranges, from the first event')
    .requiredOption('--to <url>', 'sqlite:<file>, esdb://… or kurrentdb://…; empty, or a part')
    .option('--to-prefix <prefix>', 'QUIPU_LOG_PREFIX of the new log');
  addTrust(load).action((files: string[], options: Omit<ImportLogOptions, 'files'>) =>
    invoke({ ...options, files }, async () => (await import('./import-log.js')).importLog),
  );
};

const addTrust = (verification: Command): Command =>
  verification
    .option('--key <key>', 'the verifier key of the log, known from elsewhere')
    .option('--witness <key>', 'a witness that must have cosigned; may be repeated', witnesses)
    .option('--quorum <count>', 'how many of the witnesses must have; default: all', limitOf);

const witnesses = (key: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  key,
];
