import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type ModelCatalog } from '#areas/inference/ports.js';
import { type TokenRate } from '#platform/chats/token-tariff.js';

/** The models of the catalog that answer chats. */
export class ChatModels implements ModelCatalog {
  constructor(private readonly catalog: Pick<Catalog, 'model' | 'rateFor' | 'idOf'>) {}

  model(id: string): CatalogModel | undefined {
    const model = this.catalog.model(id);
    return model?.kind === 'chat' ? model : undefined;
  }

  rateFor(modelId: string, atMs: number): TokenRate | undefined {
    return this.catalog.rateFor(modelId, atMs);
  }

  idOf(name: string): string | undefined {
    return this.catalog.idOf(name);
  }
}
