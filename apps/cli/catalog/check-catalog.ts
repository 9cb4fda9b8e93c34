import { type CatalogFile, type ModelEntry } from '#areas/catalog/catalog-entry.js';
import { unpricedClasses } from '#areas/catalog/token-price.schema.js';
import { catalogOfFile } from '../catalog-of-file.js';
import { type CommonOptions, type Outcome } from '../invocation.js';

export interface CheckCatalogOptions extends CommonOptions {
  readonly file: string;
}

export const checkCatalog = async ({ file }: CheckCatalogOptions): Promise<Outcome> => {
  const { catalog } = await catalogOfFile(file, { code: 'bad_catalog' });
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
