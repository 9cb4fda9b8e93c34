export interface WorkerReport {
  readonly status: 'ready' | 'not_ready';
  /** Why not; empty when ready. */
  readonly reasons: readonly string[];
  readonly models: number;
  readonly running_tasks: number;
}

/** Tells the truth about this worker: whether a task that is offered would be taken. */
export class WorkerHealth {
  readonly #reasons = new Set<string>();

  constructor(
    private readonly facts: { readonly models: () => number; readonly running: () => number },
  ) {}

  /** Not ready, for this reason, until the function that is returned has been called. */
  holdBack(reason: string): () => void {
    this.#reasons.add(reason);
    return () => void this.#reasons.delete(reason);
  }

  report(): WorkerReport {
    const models = this.facts.models();
    const reasons = [...this.#reasons, ...(models === 0 ? ['there is no model file'] : [])];
    return {
      status: reasons.length === 0 ? 'ready' : 'not_ready',
      reasons,
      models,
      running_tasks: this.facts.running(),
    };
  }
}
