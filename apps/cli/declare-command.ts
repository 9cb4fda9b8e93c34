import { type Command } from 'commander';
import { type CommonOptions, type Run } from './invocation.js';

/** Loads and runs a command. Help and usage errors load no command, so they stay fast. */
export type Invoke = <Options extends CommonOptions>(
  options: Options,
  load: () => Promise<Run<Options>>,
) => Promise<void>;

/**
 * Adds the commands of one area, or of the platform, to the command line. A file
 * `apps/cli/<name>/<name>.commands.ts` exports one as `declareCommands`.
 */
export type DeclareCommands = (program: Command, invoke: Invoke) => void;

export const EXIT_CODES = `
Exit codes: 0 done; 1 rejected, failed or not balanced; 2 bad usage or settings; 130 interrupted.
Settings: QUIPU_HOME and the other settings of the server. The server may be running.`;

/** A word that commands follow, such as `user` in `quipu user create`. */
export const commandGroup = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description);

/** The platform and the audit area have commands of the log. */
export const logGroup = (program: Command): Command =>
  program.commands.find((group) => group.name() === 'log') ??
  commandGroup(program, 'log', 'Confirm, claim, copy, check and archive the log as a whole.');

/** A command that cannot be undone: it asks on a terminal, and needs `--yes` without one. */
export const irreversible = (parent: Command, usage: string, description: string): Command =>
  command(parent, usage, description).option('--yes', 'do not ask for confirmation');

export const command = (parent: Command, usage: string, description: string): Command =>
  parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', EXIT_CODES);
