import { defineArea } from '#platform/runtime/areas/area.js';
import { EMBEDDINGS_PATH, EmbeddingBatchEndpoint } from './embedding-batch.endpoint.js';
import { embeddingProduct } from './embedding.product.js';
import { embeddingTool } from './embedding.tool.js';
import { embeddingsEngine } from './embeddings.engine.js';
import { embeddingsErrors } from './embeddings.errors.js';
import { moderationProduct, rankingProduct } from './scores/scoring.product.js';
import { EmbeddingsModule } from './embeddings.module.js';
import { embeddingsSettings } from './embeddings.settings.js';

/** Writes no events: the evidence of its product is in the ledger's events. */
export const embeddingsArea = defineArea({
  name: 'embeddings',
  description:
    'Texts as vectors, rankings and moderations, compatible with the interface of OpenAI.',
  products: [embeddingProduct, rankingProduct, moderationProduct],
  errors: embeddingsErrors,
  engines: [embeddingsEngine],
  batchEndpoints: [{ path: EMBEDDINGS_PATH, endpoint: EmbeddingBatchEndpoint }],
  tools: [embeddingTool],
  settings: [embeddingsSettings],
  module: EmbeddingsModule,
});
