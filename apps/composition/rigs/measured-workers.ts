import path from 'node:path';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { describeRig } from '#areas/fleet/heard-rig.js';
import { fileDigests } from '#areas/inference/text/text.engine.js';
import { type MeasuredRig, RigProblem } from '#areas/rigs/measured-rigs.port.js';
import { type WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { batchConcurrencyMaxOf } from '../inference/rigs.binding.js';
import { type TextReport, textReportOf } from '../inference/text-report.js';

type FileModel = CatalogModel & { readonly file: string };

/** The rigs of workers that are up, as certifications measure them. */
export class MeasuredWorkers {
  readonly #digests = fileDigests();

  constructor(
    private readonly directory: Pick<WorkerDirectory, 'ready' | 'rig'>,
    /** Those of the current catalog. */
    private readonly models: () => readonly CatalogModel[],
    private readonly batchPercent: number,
  ) {}

  /**
   * Undefined for a worker that was not heard, is silent or takes no tasks.
   * @throws TimedOutError where the bus cannot be reached
   */
  async find(name: string): Promise<MeasuredRig | undefined> {
    const heartbeat = await this.#heard(name);
    const text = heartbeat && textReportOf(heartbeat);
    if (!heartbeat || !text) return undefined;
    const { tasksMax: maxConcurrency } = text;
    return {
      name,
      kind: 'worker',
      description: describeRig(heartbeat),
      streamsMax: batchConcurrencyMaxOf({ maxConcurrency }, this.batchPercent),
      models: this.#namedBy(text).map(({ id, maxOutputTokens }) => ({
        id,
        outputTokensMax: maxOutputTokens,
      })),
    };
  }

  /** The models whose files are the same there as here. @throws RigProblem */
  async listedModels(name: string): Promise<ReadonlySet<string>> {
    const heartbeat = await this.#heard(name);
    const text = heartbeat && textReportOf(heartbeat);
    if (!text) throw new RigProblem(`the worker of rig ${name} takes no tasks any more`);
    const has = new Set(text.models.map(({ sha256 }) => sha256));
    const models = this.#namedBy(text);
    const digests = await Promise.all(
      models.map(({ file }) => this.#digests.modelSha256(file).catch(() => null)),
    );
    return new Set(
      models.filter((_, n) => digests[n] != null && has.has(digests[n])).map(({ id }) => id),
    );
  }

  async #heard(name: string): Promise<WorkerHeartbeat | undefined> {
    // Each worker has reported once by then.
    await this.directory.ready();
    const heard = this.directory.rig(name);
    return heard && !heard.isSilent && heard.heartbeat.status === 'ready'
      ? heard.heartbeat
      : undefined;
  }

  /** A file of the same name may be another version: then the model is not listed. */
  #namedBy({ models }: Pick<TextReport, 'models'>): readonly FileModel[] {
    const names = new Set(models.map(({ name }) => name));
    return this.models().filter(
      (model): model is FileModel =>
        model.kind === 'chat' &&
        model.file !== null &&
        names.has(path.basename(model.file, '.gguf')),
    );
  }
}
