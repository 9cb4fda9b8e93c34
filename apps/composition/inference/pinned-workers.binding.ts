import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { EMBEDDED_FEATURES } from '#areas/inference/rigs/chat-features.js';
import { type PinnedRigs, type RigAbsence } from '#areas/inference/rigs/rig-candidates.js';
import { type Rig } from '#areas/inference/rigs/rig-state.js';
import { fileDigests } from '#areas/inference/text/text.engine.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { type HeardRig, type WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { EmbeddedModels } from './embedded-models.js';
import { batchConcurrencyMaxOf } from './rigs.binding.js';
import { type TextReport, textReportOf } from './text-report.js';

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
  readonly #files: ModelFileDigests;

  /** @param models the models of the catalog that have a file */
  constructor(
    private readonly directory: Pick<WorkerDirectory, 'rig'>,
    private readonly tasks: Tasks,
    private readonly models: readonly CatalogModel[],
    private readonly place: WorkersPlace,
  ) {
    this.#files = new ModelFileDigests(models, this.#digests.modelSha256);
  }

  find(pin: string): Rig | RigAbsence | undefined {
    const heard = this.directory.rig(pin);
    const name = heard?.heartbeat.rig.name ?? pin;
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

  #rigOf(name: string, heard: HeardRig): Rig {
    const { worker, rig } = heard.heartbeat;
    const text = textReportOf(heard.heartbeat);
    const engine = createTextEngine(this.tasks, this.#digests, { worker });
    const { region, batchPercent } = this.place;
    const { tasksMax: maxConcurrency } = text ?? { tasksMax: 1 };
    return {
      name,
      region: rig.region,
      isRemote: rig.region !== null && region !== null && rig.region !== region,
      maxConcurrency,
      batchConcurrencyMax: batchConcurrencyMaxOf({ maxConcurrency }, batchPercent),
      models: new RegisteredModels(this.#files, () =>
        textReportOf((this.directory.rig(name) ?? heard).heartbeat),
      ),
      features: EMBEDDED_FEATURES,
      backend: new EmbeddedModels(name, this.models, engine),
    };
  }
}

/** The SHA-256 of the files of models, each read when it is first asked for. */
class ModelFileDigests implements Iterable<string> {
  readonly #files: ReadonlyMap<string, string>;
  readonly #known = new Map<string, string>();

  constructor(
    models: readonly CatalogModel[],
    /** Reads a file once, and again when it has changed. */
    private readonly sha256Of: (file: string) => Promise<string>,
  ) {
    this.#files = new Map(models.flatMap(({ id, file }) => (file === null ? [] : [[id, file]])));
  }

  has(id: string): boolean {
    return this.#files.has(id);
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#files.keys();
  }

  /** Undefined until the file was read once, which this call begins. */
  latestOf(id: string): string | undefined {
    const file = this.#files.get(id);
    if (file === undefined) return undefined;
    this.sha256Of(file).then(
      (sha256) => this.#known.set(id, sha256),
      // The request itself reports a file that cannot be read.
      () => this.#known.delete(id),
    );
    return this.#known.get(id);
  }
}

/** The models whose files a worker has registered; a worker without the engine serves none. */
class RegisteredModels implements Iterable<string> {
  constructor(
    private readonly files: ModelFileDigests,
    private readonly text: () => TextReport | undefined,
  ) {}

  /** While the digest of the file is not known here, the worker itself decides. */
  has(id: string): boolean {
    const text = this.text();
    if (!text || !this.files.has(id)) return false;
    const sha256 = this.files.latestOf(id);
    return sha256 === undefined || text.models.some((model) => model.sha256 === sha256);
  }

  *[Symbol.iterator](): Iterator<string> {
    for (const id of this.files) if (this.has(id)) yield id;
  }
}

const absenceOf = ({ heartbeat: { status }, isSilent }: HeardRig): RigAbsence | undefined => {
  if (isSilent) return 'rig-lost';
  return status === 'draining' || status === 'stopping' ? 'rig-drained' : undefined;
};
