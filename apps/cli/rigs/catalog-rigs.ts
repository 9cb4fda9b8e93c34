import { readFile } from 'node:fs/promises';
import { CatalogError } from '#areas/catalog/catalog.error.js';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { CATALOG_SETTINGS, type CatalogSettings } from '#areas/catalog/catalog.settings.js';
import {
  ggufFilesIn,
  type LocalFile,
  type Offer,
  withLocalModels,
} from '#areas/catalog/local-models.js';
import { type RigKind } from '#events/rig-kinds.js';
import { GgufModelKinds } from '../../composition/catalog/local-model-kinds.binding.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { settingsOf } from '../installation.js';
import { type Invocation } from '../invocation.js';

/** A rig of the catalog file. */
export interface CatalogFileRig {
  readonly name: string;
  readonly kind: RigKind;
  readonly region: string | null;
  /** The ids of its models. */
  readonly models: readonly string[];
}

/**
 * The current offer of the catalog file. A command publishes no prices, so it serves no catalog.
 * @throws CommandFailure `bad_settings`
 */
export const catalogOffer = ({ environment, parts }: Invocation): Promise<Offer> => {
  const { ofAreas } = settingsOf(environment, parts?.areas);
  return offerOf(ofAreas.get(CATALOG_SETTINGS) as CatalogSettings);
};

/** The rigs as the catalog file has them. @throws CommandFailure `bad_settings` */
export const catalogRigs = async (invocation: Invocation): Promise<readonly CatalogFileRig[]> => {
  const { rigs, models } = await catalogOffer(invocation);
  return rigs.map(({ name, kind, region }) => ({
    name,
    kind,
    region,
    models: models.filter((model) => model.rigs.includes(name)).map(({ id }) => id),
  }));
};

const offerOf = async ({ catalogFile, localModelsFolder }: CatalogSettings): Promise<Offer> => {
  try {
    const file = parseCatalog(await readFile(catalogFile, 'utf8'), catalogFile);
    return withLocalModels(file, await localFilesIn(localModelsFolder));
  } catch (cause) {
    if (!(cause instanceof CatalogError) && !isMissing(cause)) throw cause;
    const reason = cause instanceof CatalogError ? cause.message : `there is no ${catalogFile}`;
    throw new CommandFailure('bad_settings', `QUIPU_CATALOG: ${reason}`, EXIT.usage, { cause });
  }
};

/** A server creates the folder. */
const localFilesIn = async (folder: string): Promise<readonly LocalFile[]> => {
  const kinds = new GgufModelKinds();
  const paths = await ggufFilesIn(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return Promise.all(paths.map(async (path) => ({ path, model: await kinds.kindOf(path) })));
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
