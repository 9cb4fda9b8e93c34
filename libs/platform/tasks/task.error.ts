/** Why a task failed. The code is one of the platform's or one that the engine declares. */
export class TaskError extends Error {
  override readonly name = 'TaskError';

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
