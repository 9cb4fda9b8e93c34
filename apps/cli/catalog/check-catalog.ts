import { readFile } from 'node:fs/promises';
import { CatalogError } from '#areas/catalog/catalog.error.js';
import { type CatalogFile, type ModelEntry } from '#areas/catalog/catalog-entry.js';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { unpricedClasses } from '#areas/catalog/token-price.schema.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Outcome } from '../invocation.js';

export interface CheckCatalogOptions extends CommonOptions {
  readonly file: string;
}

export const checkCatalog = async ({ file }: CheckCatalogOptions): Promise<Outcome> => {
  const catalog = await catalogIn(file);
  const bought = catalog.models.filter((model) => isBought(model, catalog));
  const models = bought.map(({ id, price }) => ({ id, charged_as: unpricedClasses(price) }));
  const counts = `${catalog.models.length} models and ${catalog.rigs.length} rigs`;
  return {
    json: { valid: true, models },
    text: [
      `The catalog is valid: ${counts}.`,
      ...models
        .filter(({ charged_as: classes }) => classes.length > 0)
        .map(({ id, charged_as: classes }) => `${id} charges ${classes.join(', ')}.`),
    ].join('\n'),
  };
};

/** Only other servers have caches, audio and images. */
const isBought = ({ kind, rigs: names }: ModelEntry, { rigs }: CatalogFile): boolean =>
  kind === 'chat' && rigs.some((rig) => rig.kind !== 'embedded' && names.includes(rig.name));

const catalogIn = async (file: string): Promise<CatalogFile> => {
  try {
    return parseCatalog(await readFile(file, 'utf8'), file);
  } catch (cause) {
    const isKnown = Error.isError(cause) && (cause instanceof CatalogError || 'code' in cause);
    if (!isKnown) throw cause;
    throw new CommandFailure('bad_catalog', cause.message, EXIT.usage, { cause });
  }
};
