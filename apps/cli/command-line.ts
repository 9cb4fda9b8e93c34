import { CommanderError } from 'commander';
import { type CommandFailure, failureOf, usage } from './command-failure.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { type CommonOptions, type Invocation, type Outcome, type Run } from './invocation.js';
import { createProgram } from './program.js';
import { textOn } from './table.js';

/**
 * Parses, runs and prints one command.
 * @param words the arguments after the program's name
 * @returns the exit code; never rejects
 */
export const runCommandLine = async (
  words: readonly string[],
  invocation: Invocation,
): Promise<ExitCode> => {
  // Parsing may fail before commander reads the option.
  const json = words.includes('--json');
  let exitCode: ExitCode = EXIT.done;
  const invoke = async <Options extends CommonOptions>(
    options: Options,
    load: () => Promise<Run<Options>>,
  ): Promise<void> => {
    const run = await load();
    const environment = await environmentOf(invocation);
    const outcome = await run(options, { ...invocation, environment });
    if (!outcome) return;
    invocation.stdout.write(`${printed(outcome, json, invocation)}\n`);
    exitCode = outcome.exitCode ?? EXIT.done;
  };
  const output = {
    writeOut: (text: string) => void invocation.stdout.write(text),
    writeErr: (text: string) => {
      if (!json) invocation.stderr.write(text);
    },
  };
  try {
    const program = await createProgram(invoke, { output, ...invocation.parts });
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return ended(error, invocation, json);
    const failure = failureOf(error);
    invocation.stderr.write(`${errorText(failure, invocation, json)}\n`);
    return failure.exitCode;
  }
};

/** Help and usage errors load no code of settings. */
const environmentOf = async ({ environment }: Invocation): Promise<NodeJS.ProcessEnv> => {
  const [{ withConfigFile }, { asBadSettings }] = await Promise.all([
    import('../composition/config-file.js'),
    import('./installation.js'),
  ]);
  return asBadSettings(withConfigFile(environment));
};

const printed = (outcome: Outcome, json: boolean, { stdout }: Invocation): string =>
  json ? JSON.stringify({ success: true, ...outcome.json }) : textOn(stdout, outcome.text);

/** Commander has already printed the help, the version or the error. */
const ended = (error: CommanderError, { stderr }: Invocation, json: boolean): ExitCode => {
  if (error.exitCode === 0) return EXIT.done;
  // For `quipu user` alone, commander prints help for people and no error for scripts.
  const failure = error.code === 'commander.help' ? usage('name a command') : failureOf(error);
  if (json) stderr.write(`${inJson(failure)}\n`);
  return failure.exitCode;
};

const errorText = (failure: CommandFailure, { environment }: Invocation, json: boolean): string => {
  if (json) return inJson(failure);
  const { message, cause } = failure;
  const wantsStack = environment['QUIPU_LOG_LEVEL'] === 'debug' && cause instanceof Error;
  return wantsStack ? `error: ${message}\n${cause.stack ?? ''}` : `error: ${message}`;
};

const inJson = ({ code, message }: CommandFailure): string =>
  JSON.stringify({ success: false, code, message });
