import { type Tasks } from '#platform/tasks/tasks.port.js';
import {
  type AnyJobType,
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
  type PublicJson,
} from './job-type.js';

export type AnyAttempt = JobAttempt<unknown>;

/** A job type that a host runs. */
export interface HostedType {
  readonly type: AnyJobType;
  /** Attempts that could start now, beside the type's own limit. */
  free(): number;
  /**
   * Null when the signal aborted before the end.
   * @throws what the runner or the engine throws
   */
  run(attempt: AnyAttempt, signal: AbortSignal): AsyncGenerator<Progress, Finished<unknown> | null>;
}

export type AnyJobRunner = JobRunner<unknown, PublicJson, unknown, unknown>;

/** A type whose attempts a provider of its area runs. */
export const hostedByRunner = (type: AnyJobType, runner: AnyJobRunner): HostedType => ({
  type,
  free: () => type.limits.runningPerHostMax,
  run: (attempt, signal) => runner.run(attempt, signal),
});

/**
 * A type whose attempts run as tasks of an engine in this process. They share the engine with the
 * other tasks; one that finds it busy is handed back.
 */
export const hostedByTasks = (type: AnyJobType, tasks: Tasks): HostedType | null => {
  const { place } = type;
  if (place.on !== 'engine') return null;
  return {
    type,
    free: () => type.limits.runningPerHostMax,
    run: (attempt, signal) => tasks.run(place.engine, attempt, signal),
  };
};
