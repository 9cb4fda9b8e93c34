import { type Provider } from '@nestjs/common';
import { EmbeddingModels, EmbeddingRigs } from '#areas/embeddings/ports.js';
import { TextVectorizer } from '#areas/vaults/text-vectors.port.js';
import { CatalogTextVectorizer } from './text-vectors.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: TextVectorizer,
    inject: [EmbeddingModels, EmbeddingRigs],
    useFactory: (models: EmbeddingModels, rigs: EmbeddingRigs) =>
      new CatalogTextVectorizer(models, rigs),
  },
];
