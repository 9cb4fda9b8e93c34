import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type ModelCatalog, type TokenRate } from '#areas/inference/ports.js';

/** The models of the catalog that answer chats. */
export class ChatModels implements ModelCatalog {
  constructor(private readonly catalog: Pick<Catalog, 'model' | 'rateFor'>) {}

  model(id: string): CatalogModel | undefined {
    const model = this.catalog.model(id);
    return model?.kind === 'chat' ? model : undefined;
  }

  rateFor(modelId: string, atMs: number): TokenRate | undefined {
    return this.catalog.rateFor(modelId, atMs);
  }
}
