import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { WorkerRigQuery, WorkerRigsQuery } from '#areas/fleet/worker-rigs.queries.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type RigStatus } from '#areas/inference/rigs/rig-state.js';
import { type RigStanding, RigStandingsQuery } from '#areas/rigs/certifications.queries.js';
import { MeasuredRigs } from '#areas/rigs/measured-rigs.port.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { type WorkerRig } from '#projections/fleet/worker-rigs.projection.js';
import { type RigDetailDto } from './rig-detail.dto.js';
import { type RigDto } from './rigs.dto.js';
import {
  type CatalogRigFacts,
  presentCatalogRig,
  presentCatalogRigDetail,
  presentWorkerRig,
  presentWorkerRigDetail,
} from './rigs.presenter.js';

/** The rigs of the catalog and of workers, in one shape. */
@Injectable()
export class RigViews {
  constructor(
    private readonly measured: MeasuredRigs,
    private readonly queries: QueryBus,
    @Inject(RIGS) private readonly router: Pick<RigRouter, 'status'>,
    private readonly directory: WorkerDirectory,
  ) {}

  async list(): Promise<readonly RigDto[]> {
    const [catalog, workers] = await Promise.all([
      this.#catalogRigs(() => true),
      this.queries.execute(new WorkerRigsQuery()),
    ]);
    const standings = await this.#standingsOf(workers);
    const statuses = this.#statuses();
    return [
      ...catalog.map(presentCatalogRig),
      ...workers.map((rig, index) => {
        const facts = { rig, heard: this.directory.rig(rig.rig), standing: standings[index] };
        return presentWorkerRig(facts, statuses.get(rig.rig));
      }),
    ];
  }

  /** A rig of the catalog goes first, as it does for pins; null for no rig. */
  async find(name: string): Promise<RigDetailDto | null> {
    const [inCatalog] = await this.#catalogRigs((rig) => rig === name);
    if (inCatalog) return presentCatalogRigDetail(inCatalog);
    const rig = await this.queries.execute(new WorkerRigQuery(name));
    if (!rig) return null;
    const [standing] = await this.#standingsOf([rig]);
    const heard = this.directory.rig(name);
    return presentWorkerRigDetail({ rig, heard, standing }, this.#statuses().get(name));
  }

  #standingsOf(workers: readonly WorkerRig[]): Promise<readonly RigStanding[]> {
    const rigs = workers.map(({ rig, description }) => ({ name: rig, description }));
    return this.queries.execute(new RigStandingsQuery(rigs));
  }

  async #catalogRigs(isWanted: (name: string) => boolean): Promise<readonly CatalogRigFacts[]> {
    const rigs = this.measured.rigs().filter(({ name }) => isWanted(name));
    const query = new RigStandingsQuery(rigs);
    const standings = await this.queries.execute(query);
    const statuses = this.#statuses();
    return rigs.map((rig, index) => ({
      rig,
      standing: standings[index],
      status: statuses.get(rig.name),
    }));
  }

  #statuses(): ReadonlyMap<string, RigStatus> {
    return new Map(this.router.status().map((status) => [status.name, status]));
  }
}
