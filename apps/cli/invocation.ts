import { type ReadStream } from 'node:tty';
import { type Area } from '#platform/runtime/areas/area.js';
import { type ExitCode } from './exit-code.js';

/** A stream that may be a terminal. */
export type Screen = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number;
};

/** The options of every command. */
export interface CommonOptions {
  /** Print JSON on one line, for scripts. */
  readonly json?: boolean;
}

/** The options of a command that cannot be undone. */
export interface IrreversibleOptions extends CommonOptions {
  /** Do not ask. */
  readonly yes?: boolean;
}

/** The parts of the process that a command uses. */
export interface Invocation {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream;
  /** Results only. */
  readonly stdout: Screen;
  /** Errors, questions and progress. */
  readonly stderr: Screen;
  /** Aborted by the first Ctrl-C; long work then stops between two atomic steps. */
  readonly signal: AbortSignal;
  /** The parts of this command line; default: the areas and the commands that ship. */
  readonly parts?: CommandLineParts;
}

export interface CommandLineParts {
  readonly areas: readonly Area[];
  /** Where the folders with `<name>/<name>.commands` are. */
  readonly folders: readonly string[];
}

/** The result of a command, as JSON and as text. */
export interface Outcome {
  readonly json: Readonly<Record<string, unknown>>;
  /** For people, without the final line break; `inColumns` makes its tables. */
  readonly text: string;
  /** Default 0. */
  readonly exitCode?: ExitCode;
}

/** Undefined after a command that has printed its own output. */
export type Run<Options> = (
  options: Options,
  invocation: Invocation,
) => Promise<Outcome | undefined>;
