import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { answered } from '../operations/answered.js';
import { type TaskRunners } from './task-runners.js';

export interface WorkerReport {
  readonly status: 'ready' | 'not_ready';
  /** Empty when ready. */
  readonly reasons: readonly string[];
  readonly bus: BusHealth;
  readonly engines: readonly {
    readonly name: string;
    readonly status: 'ready' | 'not_ready';
    readonly reasons: readonly string[];
    readonly running_tasks: number;
    readonly facts: Readonly<Record<string, number | string>>;
  }[];
  /** Of all engines. */
  readonly running_tasks: number;
}

/** Whether this worker accepts tasks, for each of its engines. */
export class WorkerHealth {
  readonly #reasons = new Set<string>();

  constructor(
    private readonly bus: Pick<Bus, 'health'>,
    private readonly runners: Pick<TaskRunners, 'reports' | 'running'>,
  ) {}

  /** Reports not ready, for this reason, until the caller calls the returned function. */
  holdBack(reason: string): () => void {
    this.#reasons.add(reason);
    return () => void this.#reasons.delete(reason);
  }

  async report(): Promise<WorkerReport> {
    const { answer, failure } = await answered(this.bus.health());
    const bus = answer ?? { reachable: false, reason: failure };
    const engines = this.runners.reports();
    const reasons = [
      ...this.#reasons,
      ...engines.flatMap(({ name, reasons: ofEngine }) => ofEngine.map((one) => `${name}: ${one}`)),
      ...(bus.reachable ? [] : [`the bus cannot be reached: ${bus.reason ?? ''}`]),
    ];
    const isReady = reasons.length === 0 && engines.every(({ ready }) => ready);
    return {
      status: isReady ? 'ready' : 'not_ready',
      reasons,
      bus,
      engines: engines.map(({ name, ready, reasons: ofEngine, runningTasks, facts }) => ({
        name,
        status: ready ? 'ready' : 'not_ready',
        reasons: ofEngine,
        running_tasks: runningTasks,
        facts,
      })),
      running_tasks: this.runners.running,
    };
  }
}
