import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { EmbeddingModels, EmbeddingRigs } from '#areas/embeddings/ports.js';
import { ScoringModels, ScoringRigs } from '#areas/embeddings/scores/scoring.ports.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { CatalogEmbeddingModels, CatalogScoringModels } from './embedding-models.binding.js';
import { RoutedEmbeddingRigs, RoutedScoringRigs } from './embedding-rigs.binding.js';

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
  {
    provide: ScoringModels,
    inject: [Catalog],
    useFactory: (catalog: Catalog) => new CatalogScoringModels(catalog),
  },
  {
    provide: ScoringRigs,
    inject: [RIGS],
    useFactory: (router: RigRouter) => new RoutedScoringRigs(router),
  },
];
