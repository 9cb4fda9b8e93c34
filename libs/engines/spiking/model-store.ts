import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { SpikingModelCard } from './model-card.js';
import { SpikingEngineError } from './spiking.engine.errors.js';
import { readSafetensors, type NamedTensors } from '#platform/safetensors/safetensors.js';

const FOLDER = 'spiking';
const CARD = 'card.json';
const WEIGHTS = 'model.safetensors';

export interface StoredModel {
  readonly card: SpikingModelCard;
  /** The absolute path of its folder. */
  readonly folder: string;
}

const foldersIn = async (root: string): Promise<readonly string[]> => {
  try {
    const entries = await readdir(path.join(root, FOLDER), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

const cardIn = async (folder: string): Promise<SpikingModelCard> => {
  const file = path.join(folder, CARD);
  try {
    return SpikingModelCard.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new SpikingEngineError('weights_invalid', `${file} is no model card: ${String(cause)}`);
  }
};

/**
 * The trained networks under `spiking/` of these folders, by name; the first folder that has a name
 * wins. Reads cards and no weights.
 * @throws SpikingEngineError for a card that cannot be read
 */
export const storedModels = async (folders: readonly string[]): Promise<readonly StoredModel[]> => {
  const found = new Map<string, StoredModel>();
  for (const root of folders) {
    for (const name of await foldersIn(root)) {
      const folder = path.join(root, FOLDER, name);
      if (!found.has(name)) found.set(name, { folder, card: await cardIn(folder) });
    }
  }
  return [...found.values()].sort((one, other) => (one.card.name < other.card.name ? -1 : 1));
};

/** @throws SpikingEngineError for weights that do not belong to the card */
export const weightsOf = async ({ card, folder }: StoredModel): Promise<NamedTensors> => {
  const file = path.join(folder, WEIGHTS);
  try {
    const bytes = await readFile(file);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 === card.weightsSha256) return readSafetensors(bytes);
    throw new Error(`its SHA-256 is ${sha256}, the card says ${card.weightsSha256}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SpikingEngineError('weights_invalid', `${file} cannot be used: ${reason}`);
  }
};
