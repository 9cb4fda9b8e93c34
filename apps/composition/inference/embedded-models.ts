import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type ChatRequest, type CountingBackend } from '#areas/inference/rigs/chat-backend.js';
import { createEmbeddedRig, type TextEngine } from '#areas/inference/rigs/embedded-rig.js';

/** The files of models that are not in the catalog; undefined for an unknown name. */
export interface FurtherModels {
  has(name: string): boolean;
  fileOf(name: string): Promise<string> | undefined;
}

/** Backends of a text engine, by model file and by adapter. */
export class EmbeddedModels implements CountingBackend {
  readonly #files: ReadonlyMap<string, string>;

  constructor(
    private readonly name: string,
    models: readonly CatalogModel[],
    private readonly engine: TextEngine,
    private readonly further?: FurtherModels,
  ) {
    this.#files = new Map(
      models.flatMap(({ upstreamId, file }) => (file === null ? [] : [[upstreamId, file]])),
    );
  }

  async complete(request: ChatRequest, signal: AbortSignal) {
    return (await this.#backendOf(request)).complete(request, signal);
  }

  async *stream(request: ChatRequest, signal: AbortSignal) {
    return yield* (await this.#backendOf(request)).stream(request, signal);
  }

  async count(request: ChatRequest, signal: AbortSignal) {
    return (await this.#backendOf(request)).count(request, signal);
  }

  // The engine is shared, and a backend holds nothing.
  close(): Promise<void> {
    return Promise.resolve();
  }

  async #backendOf({ body, adapter }: ChatRequest): Promise<CountingBackend> {
    const { name, engine } = this;
    const model = String(body['model']);
    const listed = this.#files.get(model);
    const modelFile = listed ?? (await this.further?.fileOf(model));
    if (modelFile === undefined) throw new Error(`the embedded engine has no file for ${model}`);
    const lendsModel = listed === undefined;
    return createEmbeddedRig({ name, engine, modelFile, lendsModel, ...(adapter && { adapter }) });
  }
}
