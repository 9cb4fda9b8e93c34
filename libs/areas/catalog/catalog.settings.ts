/** The sources of the catalog; the composition root provides them under the token. */
export interface CatalogSettings {
  /** The YAML file, `QUIPU_CATALOG`. */
  readonly catalogFile: string;
  /** Every `*.gguf` in it is served, too; created if it is missing. */
  readonly localModelsFolder: string;
  /**
   * For a log in another process: the interval of asking it for new rate cards, in milliseconds. By
   * default the catalog subscribes to the log.
   */
  readonly rateCardsPollMs?: number;
}

export const CATALOG_SETTINGS = Symbol('CatalogSettings');
