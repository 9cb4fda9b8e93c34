/** Where the catalog is read from; the composition root provides it under the token. */
export interface CatalogSettings {
  /** The YAML file, `QUIPU_CATALOG`. */
  readonly catalogFile: string;
  /** Every `*.gguf` in it is served, too; made if it is missing. */
  readonly localModelsFolder: string;
  /**
   * For a log that is elsewhere: new rate cards are asked for so often, in milliseconds. By default
   * the log is followed.
   */
  readonly rateCardsPollMs?: number;
}

export const CATALOG_SETTINGS = Symbol('CatalogSettings');
