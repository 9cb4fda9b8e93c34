import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { type JobHost } from '#platform/jobs/job-host.js';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
  type ReadinessReason,
} from '#platform/runtime/areas/operations.js';
import { LastAnswer } from '../operations/last-answer.js';
import { type ReadinessReport } from '../operations/readiness.js';
import { type EngineReport, type TaskRunners } from './task-runners.js';
import { type WorkerMetrics } from './worker.metrics.js';

/** The facts of a worker in `/health/ready`. */
export interface WorkerFacts {
  readonly bus: BusHealth;
  readonly engines: readonly {
    readonly name: string;
    readonly status: 'ready' | 'not_ready';
    /** Empty when ready. */
    readonly reasons: readonly string[];
    readonly running_tasks: number;
    readonly facts: Readonly<Record<string, number | string>>;
  }[];
  /** Of all engines. */
  readonly running_tasks: number;
  /** Attempts of jobs. */
  readonly running_jobs: number;
}

export type WorkerReport = ReadinessReport<WorkerFacts>;

/** Whether this worker accepts tasks, for each of its engines, and what it has run. */
export class WorkerOperations implements ReadinessCheck, MetricsSource {
  readonly #bus: LastAnswer<BusHealth>;

  constructor(
    bus: Pick<Bus, 'health'>,
    private readonly runners: Pick<TaskRunners, 'all' | 'reports' | 'running'>,
    private readonly metrics: WorkerMetrics,
    private readonly jobs: Pick<JobHost, 'running'>,
  ) {
    this.#bus = new LastAnswer(() => bus.health());
  }

  async readiness(): Promise<ReadinessPart> {
    const { answer, failure } = await this.#bus.get();
    const bus = answer && failure === null ? answer : { reachable: false, reason: failure };
    const engines = this.runners.reports();
    const reasons = [
      ...engines.flatMap(reasonsOf),
      ...(bus.reachable
        ? []
        : [{ code: 'bus_unavailable', detail: `the bus cannot be reached: ${bus.reason ?? ''}` }]),
    ];
    const facts: WorkerFacts = {
      bus,
      engines: engines.map(({ name, ready, reasons: ofEngine, runningTasks, facts: known }) => ({
        name,
        status: ready ? 'ready' : 'not_ready',
        reasons: ofEngine,
        running_tasks: runningTasks,
        facts: known,
      })),
      running_tasks: this.runners.running,
      running_jobs: this.jobs.running,
    };
    return { reasons, facts: { ...facts } };
  }

  collect(): void {
    this.metrics.observeJobs(this.jobs.running);
    for (const runner of this.runners.all) {
      this.metrics.observe(runner.definition.name, runner.running, runner.counts());
    }
  }
}

const reasonsOf = ({ name, ready, reasons }: EngineReport): readonly ReadinessReason[] => {
  const known = reasons.length === 0 && !ready ? ['the engine is not ready'] : reasons;
  return known.map((reason) => ({ code: 'engine_not_ready', detail: `${name}: ${reason}` }));
};
