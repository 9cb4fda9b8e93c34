import { type Logger } from 'pino';
import { type z } from 'zod';
import { type Clock } from '#platform/kernel/clock.js';
import { type BorrowedFile } from './file.protocol.js';

/** The services that a process gives to an engine that it opens. */
export interface EngineHost {
  /**
   * `worker`: tasks come over the bus, and other workers may run the same engine. `in-process`: the
   * process that asks runs the engine itself, so a task may name a file of this machine.
   */
  readonly place: 'worker' | 'in-process';
  /** The name of this process, unique in the fleet. */
  readonly instance: string;
  /** QUIPU_HOME, an absolute path. */
  readonly home: string;
  /** Absolute paths of the folders that may hold model files; a folder may be absent. */
  readonly modelFolders: readonly string[];
  /** The settings of the areas, by the token under which each is declared. */
  readonly settings: ReadonlyMap<unknown, unknown>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /**
   * The path of a copy of a file that the process which asks lends. It may be gone when it was
   * unused for long. Absent where the files of that process are at hand.
   * @throws FileNotBorrowedError
   */
  readonly borrow?: (file: BorrowedFile) => Promise<string>;
}

export interface EngineStatus {
  /** Whether a task that arrives now can run. */
  readonly ready: boolean;
  /** Why the engine is not ready; empty when it is. */
  readonly reasons: readonly string[];
  /**
   * The models that it serves, by the SHA-256 of each file; absent for an engine without model
   * files.
   */
  readonly models?: readonly { readonly name: string; readonly sha256: string }[];
  /** Named facts for operators, e.g. the number of models. */
  readonly facts: Readonly<Record<string, number | string>>;
}

/** A count that only grows, for `/metrics`. */
export interface EngineCount {
  /** The full Prometheus name; it ends in `_total`. The host adds the label `engine`. */
  readonly name: string;
  readonly help: string;
  readonly total: number;
}

/** An engine that is open. */
export interface Engine<Input, Piece, End> {
  /**
   * Yields pieces and returns the end. When the signal aborts, the engine stops soon, and either
   * returns or throws. An error whose `code` is declared in `failures` keeps its code; any other
   * error becomes `failed`.
   */
  run(input: Input, signal: AbortSignal): AsyncGenerator<Piece, End, void>;
  status(): EngineStatus;
  counts?(): readonly EngineCount[];
  /** Running tasks throw. */
  close(): Promise<void>;
}

/** `elsewhere`: another worker may succeed. `final`: every worker would fail the same way. */
export type FailureScope = 'elsewhere' | 'final';

/**
 * An engine as an area declares it. The three schemas check what enters and what leaves on every
 * path, so they accept JSON values only and transform nothing.
 */
export interface EngineDefinition<Input, Piece, End> {
  /** Part of topic names, a metric label and a setting; a letter, then up to 31 of `a-z 0-9 -`. */
  readonly name: string;
  readonly input: z.ZodType<Input>;
  readonly piece: z.ZodType<Piece>;
  readonly end: z.ZodType<End>;
  /**
   * Tasks of one process at once, including the tasks that wait for the engine; the next one fails
   * with `busy`. A worker rejects early because another one may be idle; a process of its own has
   * no alternative, so it may queue more.
   */
  readonly tasksMax: { readonly worker: number; readonly inProcess: number };
  /** The codes of the engine's own errors. */
  readonly failures: Readonly<Record<string, FailureScope>>;
  /** Null, or why the engine cannot run on this machine. Loads nothing heavy. */
  canRunHere(host: EngineHost): Promise<string | null>;
  /** Loads what the engine needs; called once in a process. */
  open(host: EngineHost): Promise<Engine<Input, Piece, End>>;
}

export type AnyEngineDefinition = EngineDefinition<unknown, unknown, unknown>;

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** @throws TypeError for a name or a limit that no host could use */
export const defineEngine = <Input, Piece, End>(
  definition: EngineDefinition<Input, Piece, End>,
): EngineDefinition<Input, Piece, End> => {
  const { name, tasksMax, failures } = definition;
  if (!NAME.test(name)) throw new TypeError(`${name} cannot be the name of an engine`);
  for (const limit of [tasksMax.worker, tasksMax.inProcess]) {
    if (Number.isInteger(limit) && limit > 0) continue;
    throw new TypeError(`engine ${name}: ${limit} cannot be its number of tasks`);
  }
  for (const code of Object.keys(failures)) {
    if (!CODE.test(code)) throw new TypeError(`engine ${name}: ${code} cannot be a failure code`);
  }
  return definition;
};
