import { type EngineDefinition } from './engine.js';
import { type LentFile } from './file.protocol.js';

export interface TaskOptions {
  /** The only worker that may run the task; default: any. */
  readonly worker?: string;
}

/**
 * Runs tasks on the engines that areas declare: with workers when a bus connects processes, in this
 * process otherwise. Injected by its class; an area names no host.
 */
export abstract class Tasks {
  /** Whether the engine runs on this machine, so that a task may name a file of it. */
  abstract readonly seesLocalFiles: boolean;

  /**
   * Yields pieces in order and returns the end; null when the signal aborted before the end was
   * known. An abandoned generator cancels the task.
   * @throws TaskError with a code of the platform or of the engine
   */
  abstract run<Input, Piece, End>(
    engine: EngineDefinition<Input, Piece, End>,
    input: Input,
    signal: AbortSignal,
    options?: TaskOptions,
  ): AsyncGenerator<Piece, End | null, void>;

  /**
   * Lets the worker of a task copy a file of this machine, by its digest (`EngineHost.borrow`). Not
   * where `seesLocalFiles`.
   * @returns the lender to name in the task
   * @throws TaskError `no_worker`
   */
  lend({ file }: LentFile): Promise<string> {
    return Promise.reject(new Error(`tasks run where ${file} is`));
  }
}

/** The port as the process that opened it holds it. */
export interface TaskHosting extends Tasks {
  /**
   * Prepares the first task. The first `run` does so too, but reaching a broker takes time, and a
   * process that serves no callers need not reach it.
   * @throws BusError
   */
  listen(): Promise<void>;
  /** Fails running tasks with `closed`; does not wait for a `listen` that is under way. */
  close(): Promise<void>;
}
