import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type PinnedRigs, type RigAbsence } from '#areas/inference/rigs/rig-router.js';
import { type Rig } from '#areas/inference/rigs/rig-state.js';
import { fileDigests, textEngine } from '#areas/inference/text/text.engine.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { type HeardRig, type WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { EmbeddedModels } from './embedded-models.js';
import { batchConcurrencyMaxOf } from './rigs.binding.js';

interface KnownRig {
  /** Another start is another rig, with other slots. */
  readonly startedAt: string;
  readonly rig: Rig;
}

/** How a gateway sees its workers. */
export interface WorkersPlace {
  /** Of the gateway. */
  readonly region: string | null;
  /** The part of each rig's slots that lines of batches may occupy. */
  readonly batchPercent: number;
}

/** The workers on the bus as rigs, each by the name that its heartbeats have. */
export class PinnedWorkers implements PinnedRigs {
  readonly #known = new Map<string, KnownRig>();
  /** Of the files of this gateway, for all workers. */
  readonly #digests = fileDigests();

  /** @param models those of the catalog that have a file */
  constructor(
    private readonly directory: Pick<WorkerDirectory, 'rig'>,
    private readonly tasks: Tasks,
    private readonly models: readonly CatalogModel[],
    private readonly place: WorkersPlace,
  ) {}

  find(name: string): Rig | RigAbsence | undefined {
    const heard = this.directory.rig(name);
    const absence = heard && absenceOf(heard);
    if (!heard || absence) {
      this.#known.delete(name);
      return absence;
    }
    const { startedAt } = heard.heartbeat;
    const known = this.#known.get(name);
    if (known?.startedAt === startedAt) return known.rig;
    const rig = this.#rigOf(name, heard);
    this.#known.set(name, { startedAt, rig });
    return rig;
  }

  #rigOf(name: string, { heartbeat: { worker, rig, engines } }: HeardRig): Rig {
    const text = engines.find((engine) => engine.name === textEngine.name);
    const engine = createTextEngine(this.tasks, this.#digests, { worker });
    const { region, batchPercent } = this.place;
    const { tasksMax: maxConcurrency } = text ?? { tasksMax: 1 };
    return {
      name,
      region: rig.region,
      isRemote: rig.region !== null && region !== null && rig.region !== region,
      maxConcurrency,
      batchConcurrencyMax: batchConcurrencyMaxOf({ maxConcurrency }, batchPercent),
      // A worker without the engine serves none.
      models: new Set(text ? this.models.map(({ id }) => id) : []),
      backend: new EmbeddedModels(name, this.models, engine),
    };
  }
}

const absenceOf = ({ heartbeat: { status }, isSilent }: HeardRig): RigAbsence | undefined => {
  if (isSilent) return 'rig-lost';
  return status === 'draining' || status === 'stopping' ? 'rig-drained' : undefined;
};
