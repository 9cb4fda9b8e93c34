import { type EngineHost, type EngineStatus } from '#platform/tasks/engine.js';
import { type TaskRunner } from './task-runner.js';

/** The report of one engine. */
export interface EngineReport extends EngineStatus {
  readonly name: string;
  /** The number of open tasks. */
  readonly runningTasks: number;
  /** More at once are rejected. */
  readonly tasksMax: number;
  /** Since the start. */
  readonly doneTasks: number;
  /** Milliseconds since the start in which a task ran. */
  readonly busyMs: number;
  readonly models: readonly { readonly name: string; readonly sha256: string }[];
}

/** The engines of a worker with their tasks. */
export class TaskRunners {
  constructor(readonly all: readonly TaskRunner[]) {}

  /** Tasks of all engines. */
  get running(): number {
    return this.all.reduce((total, { running }) => total + running, 0);
  }

  reports(): readonly EngineReport[] {
    return this.all.map((runner) => ({
      name: runner.definition.name,
      models: [],
      ...runner.status(),
      runningTasks: runner.running,
      tasksMax: runner.definition.tasksMax.worker,
      ...runner.work(),
    }));
  }

  /** Opens every engine. Await it before the first task. */
  async open(host: EngineHost): Promise<void> {
    const opened = await Promise.allSettled(this.all.map((runner) => runner.open(host)));
    // Waits for all, so that the caller can close the open engines.
    for (const one of opened) if (one.status === 'rejected') throw one.reason;
  }

  /**
   * Waits for runs to end, fails the others, and closes the engines.
   * @param jobsEnded resolves when no attempt of a job uses an engine
   */
  async close(drainMs: number, jobsEnded: Promise<void>): Promise<void> {
    await Promise.all(this.all.map((runner) => runner.close(drainMs, jobsEnded)));
  }
}
