import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type ChatBackend, type ChatRequest } from '#areas/inference/rigs/chat-backend.js';
import { createEmbeddedRig, type TextEngine } from '#areas/inference/rigs/embedded-rig.js';

/** A backend of a text engine for each model file. */
export class EmbeddedModels implements ChatBackend {
  readonly #backends: ReadonlyMap<string, ChatBackend>;

  constructor(name: string, models: readonly CatalogModel[], engine: TextEngine) {
    const backendOfFile = (modelFile: string): ChatBackend =>
      createEmbeddedRig({ name, engine, modelFile });
    this.#backends = new Map(
      models.flatMap(({ upstreamId, file }) =>
        file === null ? [] : [[upstreamId, backendOfFile(file)]],
      ),
    );
  }

  complete(request: ChatRequest, signal: AbortSignal) {
    return this.#backendOf(request).complete(request, signal);
  }

  stream(request: ChatRequest, signal: AbortSignal) {
    return this.#backendOf(request).stream(request, signal);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#backends.values()].map((backend) => backend.close()));
  }

  #backendOf({ body }: ChatRequest): ChatBackend {
    const backend = this.#backends.get(String(body['model']));
    if (!backend) throw new Error(`the embedded engine has no file for ${String(body['model'])}`);
    return backend;
  }
}
