import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type MetricsSource } from '#platform/runtime/areas/operations.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { answered } from './answered.js';
import { logHeadPosition } from './log-head-position.js';

/** Metrics of a process with projections. */
@Injectable()
export class RuntimeMetrics implements MetricsSource {
  readonly #position: Gauge;
  readonly #stopped: Gauge;
  readonly #lag: Gauge;
  readonly #leader: Gauge;
  readonly #head: Gauge;
  readonly #projector: { readonly utilization: Gauge; readonly losses: Gauge } | null;

  constructor(
    registry: Registry,
    private readonly runtime: Runtime,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
  ) {
    const registers = [registry];
    this.#position = new Gauge({
      name: 'quipu_reader_position',
      help: 'The log position that a projection or saga has handled.',
      labelNames: ['reader'],
      registers,
    });
    this.#stopped = new Gauge({
      name: 'quipu_reader_stopped',
      help: '1 while a projection or saga has stopped on a failure.',
      labelNames: ['reader'],
      registers,
    });
    this.#lag = new Gauge({
      name: 'quipu_projection_lag_seconds',
      help: 'Age of the oldest event that a projection has not applied yet.',
      labelNames: ['reader'],
      registers,
    });
    this.#leader = new Gauge({
      name: 'quipu_leader',
      help: '1 while this process runs the projections and sagas, 0 while another one does.',
      registers,
    });
    this.#head = logHeadPosition(registry);
    this.#projector = runtime.projector?.place === 'thread' ? projectorGauges(registers) : null;
  }

  /** An unreadable value keeps its last reading. */
  async collect(): Promise<void> {
    const { projector } = this.runtime;
    const [head, status, elsewhere] = await Promise.all([
      answered(this.eventStore.head()),
      answered(this.runtime.projectionHost.status()),
      answered(projector?.status() ?? Promise.resolve(null)),
    ]);
    if (head.answer !== undefined) this.#head.set(Number(head.answer));
    if (projector?.place === 'process') return;
    const lease = this.runtime.leadership();
    if (lease) this.#leader.set(lease.role === 'leader' ? 1 : 0);
    const projections = status.answer ?? [];
    for (const { name, lagMs } of projections) this.#lag.labels(name).set(lagMs / 1_000);
    this.#projector?.utilization.set(projector?.utilization ?? 0);
    this.#projector?.losses.set(projector?.losses ?? 0);
    const reactions = [...(elsewhere.answer?.sagas ?? []), ...this.runtime.reactions()];
    for (const { name, position, phase } of [...projections, ...reactions]) {
      this.#position.labels(name).set(Number(position));
      this.#stopped.labels(name).set(phase === 'stopped' ? 1 : 0);
    }
  }
}

const projectorGauges = (registers: Registry[]) => ({
  utilization: new Gauge({
    name: 'quipu_projector_utilization',
    help: 'The part of its time that the projector thread worked since the last scrape, 0 to 1.',
    registers,
  }),
  losses: new Gauge({
    name: 'quipu_projector_losses',
    help: 'How often the projector thread of this process has ended and was started again.',
    registers,
  }),
});
