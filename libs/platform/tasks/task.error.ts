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

/** Why a task did not run to its end: `busy`, try again soon; `away`, no process can run it now. */
export type TaskOutage = 'busy' | 'away' | 'failed';

const AWAY: readonly string[] = ['no_worker', 'worker_lost', 'expired', 'closed'];

/** @param away codes of the engine that other processes may not have */
export const outageOf = ({ code }: TaskError, away: readonly string[] = []): TaskOutage => {
  if (code === 'busy') return 'busy';
  return AWAY.includes(code) || away.includes(code) ? 'away' : 'failed';
};
