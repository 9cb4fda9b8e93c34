import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { limitOf } from '../options.js';
import { type ExportStatementOptions } from './export-statement.js';
import { monthOf } from './month-option.js';
import { type VerifyBillOptions } from './verify-bill.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const audit = commandGroup(program, 'audit', 'Verify the transparency log.');
  command(
    audit,
    'verify',
    'Compare every event with the Merkle tree, and both with the last published checkpoint.',
  ).action((options: CommonOptions) =>
    invoke(options, async () => (await import('./verify-log.js')).verifyLog),
  );
  const statement = commandGroup(program, 'statement', 'Export statements with their proof.');
  command(statement, 'export', 'Write the archive of a statement, which verify-bill proves.')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--month <month>', 'the month, in UTC, such as 2026-11', monthOf)
    .option('--out <file>', 'the file; default: statement-<month>.zip')
    .action((options: ExportStatementOptions) =>
      invoke(options, async () => (await import('./export-statement.js')).exportStatement),
    );
  const witnesses = (key: string, before: readonly string[] = []): readonly string[] => [
    ...before,
    key,
  ];
  command(program, 'verify-bill', 'Prove the archive of a statement; needs no installation.')
    .argument('<file>', 'the archive that statement export wrote')
    .option('--key <key>', 'the verifier key of the log, known from elsewhere')
    .option('--witness <key>', 'a witness that must have cosigned; may be repeated', witnesses)
    .option('--quorum <count>', 'how many of the witnesses must have; default: all', limitOf)
    .action((file: string, options: Omit<VerifyBillOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./verify-bill.js')).verifyBillFile),
    );
};
