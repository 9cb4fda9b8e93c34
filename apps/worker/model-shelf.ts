import { WorkerTaskError } from '#areas/inference/rigs/workers/worker-task.error.js';
import { ggufFilesIn } from '#areas/catalog/local-models.js';
import { type LanguageModelEngine } from '#engines/language-model/language-model.engine.js';

/** Finds this machine's copy of a model by the SHA-256 of its file. */
export class ModelShelf {
  #files: ReadonlyMap<string, string> = new Map();
  #scanning: Promise<void> | undefined;

  /** @param folders absolute paths; one that is not there holds no models */
  constructor(
    private readonly engine: Pick<LanguageModelEngine, 'describe'>,
    private readonly folders: readonly string[],
  ) {}

  get count(): number {
    return this.#files.size;
  }

  /** Reads every file whole that is new or has changed; others are known by size and time. */
  scan(): Promise<void> {
    this.#scanning ??= this.#scan().finally(() => (this.#scanning = undefined));
    return this.#scanning;
  }

  /**
   * The absolute path of the file; looks again for one that is not known.
   * @throws WorkerTaskError model_file_missing
   */
  async fileOf(sha256: string): Promise<string> {
    const known = this.#files.get(sha256);
    if (known !== undefined && (await this.#sha256Of(known)) === sha256) return known;
    await this.scan();
    const found = this.#files.get(sha256);
    if (found !== undefined) return found;
    throw new WorkerTaskError('model_file_missing', `no model file here has the SHA-256 ${sha256}`);
  }

  async #scan(): Promise<void> {
    const found = new Map<string, string>();
    for (const folder of this.folders) {
      const files = await ggufFilesIn(folder).catch(() => []);
      for (const file of files) {
        const sha256 = await this.#sha256Of(file);
        if (sha256 !== null) found.set(sha256, file);
      }
    }
    this.#files = found;
  }

  /** Null for a file that is gone or no model. */
  async #sha256Of(file: string): Promise<string | null> {
    const description = await this.engine.describe(file).catch(() => null);
    return description && description.sha256;
  }
}
