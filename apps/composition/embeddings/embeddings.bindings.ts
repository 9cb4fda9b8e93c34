import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { EmbeddingModels, EmbeddingRigs } from '#areas/embeddings/ports.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { CatalogEmbeddingModels } from './embedding-models.binding.js';
import { RoutedEmbeddingRigs } from './embedding-rigs.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: EmbeddingModels,
    inject: [Catalog],
    useFactory: (catalog: Catalog) => new CatalogEmbeddingModels(catalog),
  },
  {
    provide: EmbeddingRigs,
    inject: [RIGS],
    useFactory: (router: RigRouter) => new RoutedEmbeddingRigs(router),
  },
];
