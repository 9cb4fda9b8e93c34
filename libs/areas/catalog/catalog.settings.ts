import path from 'node:path';
import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/areas/settings.js';

export interface CatalogSettings {
  /** The YAML file, absolute. */
  readonly catalogFile: string;
  /** Every `*.gguf` in it is served, too; created if it is missing. */
  readonly localModelsFolder: string;
  /**
   * For a log on another machine: how often it is asked for new rate cards, in milliseconds. By
   * default the log is followed.
   */
  readonly rateCardsPollMs?: number;
}

export const CATALOG_SETTINGS = Symbol('CatalogSettings');

/** The catalog that ships with Quipu, seen from the compiled file. */
const SHIPPED_CATALOG = path.resolve(import.meta.dirname, '../../../../catalog.yaml');
/**
 * A poll of a log on another machine costs a round trip. A new rate card is unknown for up to this
 * time.
 */
const REMOTE_POLL_MS = 250;

export const catalogSettings = defineSettings({
  token: CATALOG_SETTINGS,
  variables: {
    QUIPU_CATALOG: variable(
      z.string().min(1).optional(),
      'the file of models, upstreams and prices',
      'the catalog that ships',
    ),
  },
  read: ({ QUIPU_CATALOG: file }, { home, isLogRemote }): CatalogSettings => ({
    catalogFile: file === undefined ? SHIPPED_CATALOG : path.resolve(file),
    localModelsFolder: path.join(home, 'models'),
    ...(isLogRemote && { rateCardsPollMs: REMOTE_POLL_MS }),
  }),
});
