import { type TaskFailureCode } from './worker.protocol.js';

export type WorkerTaskErrorCode =
  | TaskFailureCode
  /** No worker took the task in time, or the bus is not there. */
  | 'no_worker'
  /** The worker that took it has fallen silent. */
  | 'worker_lost';

/** Why a task came to nothing; the embedded rig makes a `RigError` of its code. */
export class WorkerTaskError extends Error {
  override readonly name = 'WorkerTaskError';

  constructor(
    readonly code: WorkerTaskErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
