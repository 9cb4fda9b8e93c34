import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { answered } from '../operations/answered.js';

export interface WorkerReport {
  readonly status: 'ready' | 'not_ready';
  /** Why not; empty when ready. */
  readonly reasons: readonly string[];
  readonly bus: BusHealth;
  readonly models: number;
  readonly running_tasks: number;
}

/** Tells the truth about this worker: whether a task that is offered would be taken. */
export class WorkerHealth {
  readonly #reasons = new Set<string>();

  constructor(
    private readonly bus: Bus,
    private readonly facts: { readonly models: () => number; readonly running: () => number },
  ) {}

  /** Not ready, for this reason, until the function that is returned has been called. */
  holdBack(reason: string): () => void {
    this.#reasons.add(reason);
    return () => void this.#reasons.delete(reason);
  }

  async report(): Promise<WorkerReport> {
    const models = this.facts.models();
    const { answer, failure } = await answered(this.bus.health());
    const bus = answer ?? { reachable: false, reason: failure };
    const reasons = [
      ...this.#reasons,
      ...(models === 0 ? ['there is no model file'] : []),
      ...(bus.reachable ? [] : [`the bus cannot be reached: ${bus.reason ?? ''}`]),
    ];
    return {
      status: reasons.length === 0 ? 'ready' : 'not_ready',
      reasons,
      bus,
      models,
      running_tasks: this.facts.running(),
    };
  }
}
