import { type QueryBus } from '@nestjs/cqrs';
import { describeRig } from '#areas/fleet/heard-rig.js';
import { imagesEngine } from '#areas/images/images.engine.js';
import { type AssignedRig, LiveRigs } from '#areas/live/ports.js';
import { RigStandingsQuery, type StandingRig } from '#areas/rigs/certifications.queries.js';
import { type MeasuredRigs } from '#areas/rigs/measured-rigs.port.js';
import { type WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';

/**
 * The rigs that draw pictures: the workers with that engine where a bus connects processes, else
 * the embedded rig of the catalog, whose engines run in the gateway.
 */
export class DrawingRigs extends LiveRigs {
  /** @param directory null: no bus connects processes */
  constructor(
    private readonly measured: Pick<MeasuredRigs, 'rigs'>,
    private readonly directory: Pick<WorkerDirectory, 'ready' | 'ping'> | null,
    private readonly queries: Pick<QueryBus, 'execute'>,
  ) {
    super();
  }

  override async assign(): Promise<AssignedRig | null> {
    const { directory } = this;
    const worker = directory && (await leastLoaded(directory));
    const rig = directory ? worker && standingOf(worker) : this.#embedded();
    if (!rig) return null;
    const [[standing], pingMs] = await Promise.all([
      this.queries.execute(new RigStandingsQuery([rig])),
      // There is no way to a rig in this process.
      worker ? directory.ping(worker.worker) : null,
    ]);
    return { name: rig.name, badge: standing?.badge ?? null, pingMs };
  }

  #embedded(): StandingRig | null {
    const rig = this.measured.rigs().find(({ kind }) => kind === 'embedded');
    return rig ? { name: rig.name, description: rig.description } : null;
  }
}

const leastLoaded = async (
  directory: Pick<WorkerDirectory, 'ready'>,
): Promise<WorkerHeartbeat | null> => {
  const loads = (await directory.ready()).flatMap((heartbeat) => {
    const load = loadOf(heartbeat);
    return load === null ? [] : [{ heartbeat, load }];
  });
  const [least] = loads.toSorted((one, other) => one.load - other.load);
  return least?.heartbeat ?? null;
};

const standingOf = (heartbeat: WorkerHeartbeat): StandingRig => ({
  name: heartbeat.rig.name,
  description: describeRig(heartbeat),
});

/** Null for a worker that draws no pictures now. */
const loadOf = ({ engines }: WorkerHeartbeat): number | null => {
  const engine = engines.find(({ name }) => name === imagesEngine.name);
  return engine?.ready === true ? engine.runningTasks / engine.tasksMax : null;
};
