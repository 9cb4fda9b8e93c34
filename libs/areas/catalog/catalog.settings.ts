/** Where the catalog is read from; the composition root provides it under the token. */
export interface CatalogSettings {
  /** The YAML file, `QUIPU_CATALOG`. */
  readonly catalogFile: string;
  /** Every `*.gguf` in it is served, too; made if it is missing. */
  readonly localModelsFolder: string;
}

export const CATALOG_SETTINGS = Symbol('CatalogSettings');
