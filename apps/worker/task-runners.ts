import { type EngineHost, type EngineStatus } from '#platform/tasks/engine.js';
import { type TaskRunner } from './task-runner.js';

/** What the worker reports of one engine. */
export interface EngineReport extends EngineStatus {
  readonly name: string;
  /** Tasks taken and not ended. */
  readonly runningTasks: number;
}

/** The engines of a worker, each with the tasks that it runs. */
export class TaskRunners {
  constructor(readonly all: readonly TaskRunner[]) {}

  /** Tasks of all engines. */
  get running(): number {
    return this.all.reduce((total, { running }) => total + running, 0);
  }

  reports(): readonly EngineReport[] {
    return this.all.map((runner) => ({
      name: runner.definition.name,
      ...runner.status(),
      runningTasks: runner.running,
    }));
  }

  /** Opens every engine; to be awaited before the first task. */
  async open(host: EngineHost): Promise<void> {
    const opened = await Promise.allSettled(this.all.map((runner) => runner.open(host)));
    // After all of them, so that the caller can close those that did open.
    for (const one of opened) if (one.status === 'rejected') throw one.reason;
  }

  /** Waits this long for runs to end, fails the rest, and closes the engines. */
  async close(drainMs: number): Promise<void> {
    await Promise.all(this.all.map((runner) => runner.close(drainMs)));
  }
}
