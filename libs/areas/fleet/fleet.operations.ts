import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { type MetricsSource } from '#platform/runtime/operations.js';
import { type Projections } from '#platform/runtime/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { stateOf, workerRigs } from '#projections/fleet/worker-rigs.projection.js';

const RIGS_MAX = 10_000;
/** The label of rigs without a region. */
const NO_REGION = '';

/** How many rigs of workers are in each state. */
@Injectable()
export class FleetOperations implements MetricsSource {
  readonly #rigs: Gauge;

  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    registry: Registry,
  ) {
    this.#rigs = new Gauge({
      name: 'quipu_fleet_rigs',
      help: 'Rigs that workers have registered, by state (up, draining, drained, lost, stopped).',
      labelNames: ['state', 'region'],
      registers: [registry],
    });
  }

  async collect(): Promise<void> {
    const { documents } = await this.projections.list(workerRigs, { limit: RIGS_MAX });
    this.#rigs.reset();
    for (const { document } of documents) {
      const { rig } = document;
      if (rig) this.#rigs.labels(stateOf(rig), rig.description.region ?? NO_REGION).inc();
    }
  }
}
