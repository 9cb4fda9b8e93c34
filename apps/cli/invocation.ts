import { type ReadStream } from 'node:tty';
import { type Area } from '#platform/runtime/area.js';
import { type ExitCode } from './exit-code.js';

/** A stream that may be a terminal. */
export type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** What every command has as an option. */
export interface CommonOptions {
  /** For scripts: JSON on one line. */
  readonly json?: boolean;
}

/** What a command sees of the process that runs it. */
export interface Invocation {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Pick<ReadStream, 'isTTY'> & NodeJS.ReadableStream;
  /** Results only. */
  readonly stdout: Screen;
  /** Everything else: errors, questions, progress. */
  readonly stderr: Screen;
  /** Aborted by the first Ctrl-C; long work then stops where nothing is half done. */
  readonly signal: AbortSignal;
  /** What this command line is made of; default: the areas and the commands that ship. */
  readonly parts?: CommandLineParts;
}

export interface CommandLineParts {
  readonly areas: readonly Area[];
  /** Where the folders with `<name>/<name>.commands` are. */
  readonly folders: readonly string[];
}

/** What a command leads to; the two are the same result. */
export interface Outcome {
  readonly json: Readonly<Record<string, unknown>>;
  /** For people, without the line's end. */
  readonly text: string;
  /** Other than 0 for a result that is bad news. */
  readonly exitCode?: ExitCode;
}

/** Undefined: it has printed its result as it went. */
export type Run<Options> = (
  options: Options,
  invocation: Invocation,
) => Promise<Outcome | undefined>;
