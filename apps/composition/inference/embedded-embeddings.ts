import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type CountingBackend } from '#areas/inference/rigs/chat-backend.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import {
  createEmbeddedEmbeddings,
  type EmbeddingEngine,
} from '#areas/inference/rigs/embedded-embeddings.js';
import { type TextEngine } from '#areas/inference/rigs/embedded-rig.js';

/** The engines behind embedded rigs. */
export type EmbeddedEngines = TextEngine & Partial<EmbeddingEngine>;

/** An embedded rig that makes embeddings, too: of its models that are for them. */
export const withEmbeddings = (
  chats: CountingBackend,
  name: string,
  models: readonly CatalogModel[],
  { embed }: Partial<EmbeddingEngine>,
): RigBackend => {
  if (!embed) return chats;
  const files = models.flatMap(({ kind, upstreamId, file }) =>
    kind === 'embedding' && file !== null ? [[upstreamId, file] as const] : [],
  );
  return {
    complete: (request, signal) => chats.complete(request, signal),
    stream: (request, signal) => chats.stream(request, signal),
    count: (request, signal) => chats.count(request, signal),
    ...createEmbeddedEmbeddings({ name, engine: { embed }, files: new Map(files) }),
    close: () => chats.close(),
  };
};
