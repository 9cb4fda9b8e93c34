import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ModelFileMissingError } from './language-model.engine.errors.js';
import { type ModelDescription } from './model-files.js';

/**
 * This machine's copy of a model.
 * @param describe remembers a file until it changes
 * @param folders absolute paths; an absent folder holds no models
 * @throws ModelFileMissingError
 */
export const modelFileOf = async (
  sha256: string,
  folders: readonly string[],
  describe: (file: string) => Promise<ModelDescription>,
): Promise<string> => {
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.gguf')).sort()) {
      const file = path.join(folder, name);
      // A file that is no model is not the one.
      const description = await describe(file).catch(() => null);
      if (description?.sha256 === sha256) return file;
    }
  }
  throw new ModelFileMissingError(`with the SHA-256 ${sha256}`);
};
