import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type Catalog } from '#areas/catalog/catalog.js';
import { type EmbeddingModel, EmbeddingModels } from '#areas/embeddings/ports.js';
import { ScoringModels, type ScoringTask } from '#areas/embeddings/scores/scoring.ports.js';
import { type TokenRate } from '#platform/chats/token-tariff.js';

/** The embedding models of the catalog. */
export class CatalogEmbeddingModels extends EmbeddingModels {
  constructor(private readonly catalog: Pick<Catalog, 'model' | 'rateFor' | 'idOf'>) {
    super();
  }

  override model(id: string): EmbeddingModel | undefined {
    const model = this.catalog.model(id);
    return model?.kind === 'embedding' ? model : undefined;
  }

  override rateFor(modelId: string, atMs: number): TokenRate | undefined {
    return this.catalog.rateFor(modelId, atMs);
  }

  override idOf(name: string): string | undefined {
    return this.catalog.idOf(name);
  }
}

/** The models of the catalog that moderate and rank. */
export class CatalogScoringModels extends ScoringModels {
  constructor(private readonly catalog: Pick<Catalog, 'models' | 'rateFor' | 'idOf'>) {
    super();
  }

  override all(task: ScoringTask): readonly CatalogModel[] {
    return this.catalog.models().filter(({ kind }) => kind === task);
  }

  override rateFor(modelId: string, atMs: number): TokenRate | undefined {
    return this.catalog.rateFor(modelId, atMs);
  }

  override idOf(name: string): string | undefined {
    return this.catalog.idOf(name);
  }
}
