import { type Catalog } from '#areas/catalog/catalog.js';
import {
  type EmbeddingModel,
  EmbeddingModels,
  type EmbeddingRate,
} from '#areas/embeddings/ports.js';

/** The embedding models of the catalog. */
export class CatalogEmbeddingModels extends EmbeddingModels {
  constructor(private readonly catalog: Pick<Catalog, 'model' | 'rateFor'>) {
    super();
  }

  override model(id: string): EmbeddingModel | undefined {
    const model = this.catalog.model(id);
    return model?.kind === 'embedding' ? model : undefined;
  }

  override rateFor(modelId: string, atMs: number): EmbeddingRate | undefined {
    return this.catalog.rateFor(modelId, atMs);
  }
}
