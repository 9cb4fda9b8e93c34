import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type ModelCatalog, type ServedModel } from '#areas/inference/ports.js';
import { type TokenRate } from '#platform/chats/token-tariff.js';
import { type OwnModels } from '#platform/own-models/own-models.js';

/** The models of the catalog that answer chats, and the models of accounts. */
export class ChatModels implements ModelCatalog {
  /** @param own absent in a process without the area */
  constructor(
    private readonly catalog: Pick<Catalog, 'model' | 'rateFor' | 'idOf'>,
    private readonly own?: Pick<OwnModels, 'find' | 'rateOf'>,
  ) {}

  model(id: string): CatalogModel | undefined;
  model(id: string, accountId?: string): ServedModel | undefined;
  model(id: string, accountId?: string): ServedModel | undefined {
    const model = this.catalog.model(id);
    if (model) return model.kind === 'chat' ? model : undefined;
    const own = accountId === undefined ? undefined : this.own?.find(id, accountId);
    if (!own) return undefined;
    const { contextTokens, maxOutputTokens } = own;
    const terms = { sendsDefaults: true, chargesCancelled: true, fallbacks: [] };
    return { id, upstreamId: id, contextTokens, maxOutputTokens, ...terms };
  }

  rateFor(modelId: string, atMs: number): TokenRate | undefined {
    return this.catalog.rateFor(modelId, atMs) ?? this.own?.rateOf(modelId);
  }

  idOf(name: string): string | undefined {
    return this.catalog.idOf(name);
  }
}
