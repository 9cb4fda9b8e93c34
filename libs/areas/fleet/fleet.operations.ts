import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { within } from '#platform/kernel/within.js';
import { type MetricsSource } from '#platform/runtime/areas/operations.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { stateOf, workerRigs } from '#projections/fleet/worker-rigs.projection.js';

const RIGS_MAX = 10_000;
const READ_MS_MAX = 1_000;
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

  /** A read store that does not answer is reported elsewhere; a scrape has no gauge then. */
  async collect(): Promise<void> {
    const reading = this.projections.list(workerRigs, { limit: RIGS_MAX });
    const listed = await within(reading, READ_MS_MAX).catch(() => null);
    this.#rigs.reset();
    for (const { document } of listed?.documents ?? []) {
      const { rig } = document;
      if (rig) this.#rigs.labels(stateOf(rig), rig.description.region ?? NO_REGION).inc();
    }
  }
}
