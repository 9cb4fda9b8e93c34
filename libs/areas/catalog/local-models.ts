import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ModelId } from '#events/catalog/rate-card.events.js';
import {
  type CatalogFile,
  type CatalogRig,
  type MeterPriceEntry,
  type ModelEntry,
} from './catalog-entry.js';
import { type LocalModelKind } from './local-model-kinds.port.js';
import { LOCAL_RIG, MODELS_MAX } from './catalog-file.schema.js';
import { EMBEDDED_CONCURRENCY } from './rig-kinds/embedded.schema.js';

/** The catalog file and the local models together. */
export interface Offer {
  readonly rigs: readonly CatalogRig[];
  readonly models: readonly ModelEntry[];
  readonly meters: readonly MeterPriceEntry[];
  readonly batchDiscountPercent: number;
  /** A sentence for each local file that is not served. */
  readonly problems: readonly string[];
}

const IMPLICIT_RIG: CatalogRig = {
  kind: 'embedded',
  name: LOCAL_RIG,
  provider: null,
  collectsData: false,
  breaker: {},
  retries: {},
  maxConcurrency: EMBEDDED_CONCURRENCY,
  microUsdPerHour: null,
  region: null,
};

/** The GGUF files of a folder as absolute paths, in order of name. */
export const ggufFilesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.gguf'))
    .map(({ name }) => join(folder, name))
    .sort();

/** A GGUF file of the folder of local models. */
export interface LocalFile {
  /** Absolute. */
  readonly path: string;
  readonly model: LocalModelKind;
}

/** Each file is served as `local/<file name>` on the terms of `local_models`. */
export const withLocalModels = (file: CatalogFile, ggufFiles: readonly LocalFile[]): Offer => {
  const models = [...file.models];
  const problems: string[] = [];
  const taken = new Set(models.map(({ id }) => id));
  const embedded = file.rigs.find(({ kind }) => kind === 'embedded') ?? IMPLICIT_RIG;
  for (const { path, model } of ggufFiles) {
    const id = `local/${basename(path)}`;
    const problem = problemOf(id, taken, models.length);
    if (problem) problems.push(`${path} is not served: ${problem}`);
    else if (model.kind === 'unserved') problems.push(`${path} is not served: ${model.reason}`);
    else models.push({ ...localModel(id, path, embedded.name, file), ...model });
  }
  const isImplicit = embedded === IMPLICIT_RIG && models.length > file.models.length;
  const rigs = isImplicit ? [...file.rigs, IMPLICIT_RIG] : file.rigs;
  const { meters, batchDiscountPercent } = file;
  return { rigs, models, meters, batchDiscountPercent, problems };
};

const problemOf = (id: string, taken: ReadonlySet<string>, models: number): string | null => {
  if (taken.has(id)) return `the catalog has a model ${id} of its own`;
  if (!ModelId.safeParse(id).success) return 'its name has characters that no model id has';
  if (models >= MODELS_MAX) return `there are ${MODELS_MAX} models already`;
  return null;
};

const localModel = (id: string, file: string, rig: string, { localModels }: CatalogFile) => ({
  ...localModels,
  id,
  upstreamId: id,
  sendsDefaults: true,
  quantization: 'unknown' as const,
  fallbacks: [],
  rigs: [rig],
  file,
  draft: null,
  createdEpochSeconds: null,
});
