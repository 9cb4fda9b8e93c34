import { readFile } from 'node:fs/promises';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { CATALOG_SETTINGS, type CatalogSettings } from '#areas/catalog/catalog.settings.js';
import { type Settings } from './settings.js';

/** The first model of the catalog's file that answers chats; null where there is none. */
export const firstChatModel = async ({
  ofAreas,
}: Pick<Settings, 'ofAreas'>): Promise<string | null> => {
  const { catalogFile } = ofAreas.get(CATALOG_SETTINGS) as CatalogSettings;
  const { models } = parseCatalog(await readFile(catalogFile, 'utf8'), catalogFile);
  return models.find(({ kind }) => kind === 'chat')?.id ?? null;
};
