import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type ChatRequest, type CountingBackend } from '#areas/inference/rigs/chat-backend.js';
import { type TextAdapter } from '#areas/inference/rigs/text-adapter.js';
import { createEmbeddedRig, type TextEngine } from '#areas/inference/rigs/embedded-rig.js';

/** Backends of a text engine, by model file and by adapter. */
export class EmbeddedModels implements CountingBackend {
  readonly #openings: ReadonlyMap<string, (adapter?: TextAdapter) => CountingBackend>;

  constructor(name: string, models: readonly CatalogModel[], engine: TextEngine) {
    const openingOf = (modelFile: string) => (adapter?: TextAdapter) =>
      createEmbeddedRig({ name, engine, modelFile, ...(adapter && { adapter }) });
    this.#openings = new Map(
      models.flatMap(({ upstreamId, file }) =>
        file === null ? [] : [[upstreamId, openingOf(file)]],
      ),
    );
  }

  complete(request: ChatRequest, signal: AbortSignal) {
    return this.#backendOf(request).complete(request, signal);
  }

  stream(request: ChatRequest, signal: AbortSignal) {
    return this.#backendOf(request).stream(request, signal);
  }

  count(request: ChatRequest, signal: AbortSignal) {
    return this.#backendOf(request).count(request, signal);
  }

  // The engine is shared, and a backend holds nothing.
  close(): Promise<void> {
    return Promise.resolve();
  }

  #backendOf({ body, adapter }: ChatRequest): CountingBackend {
    const open = this.#openings.get(String(body['model']));
    if (!open) throw new Error(`the embedded engine has no file for ${String(body['model'])}`);
    return open(adapter);
  }
}
