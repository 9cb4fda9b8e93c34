import { type Catalog } from '#areas/catalog/catalog.js';
import { type EnclaveModel, EnclaveModels } from '#areas/cleanrooms/enclave/enclave-models.port.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';

/** The chat models of the catalog. */
export class CatalogEnclaveModels extends EnclaveModels {
  constructor(private readonly catalog: Pick<Catalog, 'model' | 'rateFor' | 'idOf'>) {
    super();
  }

  override find(id: string): EnclaveModel | undefined {
    const model = this.catalog.model(id);
    return model?.kind === 'chat' ? model : undefined;
  }

  override tariffOf(id: string, atMs: number): TokenTariff | undefined {
    return TokenTariff.at(this.catalog, id, atMs);
  }
}
