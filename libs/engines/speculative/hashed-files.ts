/** Model files by the SHA-256 of their content, by which processes on other machines name them. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ModelFileMissingError } from '../language-model/language-model.engine.errors.js';
import { describeModelFile, fileVersionOf } from '../language-model/model-files.js';

const digests = new Map<string, { readonly version: string; readonly sha256: string }>();

/** Reads the file once, and again when it has changed. @throws ModelFileMissingError */
export const digestOfModel = async (file: string): Promise<string> => {
  const version = await fileVersionOf(file);
  const known = digests.get(file);
  if (known?.version === version) return known.sha256;
  const { sha256 } = await describeModelFile(file);
  digests.set(file, { version, sha256 });
  return sha256;
};

/**
 * The absolute path of the file.
 * @param folders absolute paths; an absent folder has no models
 * @throws ModelFileMissingError
 */
export const fileWithDigest = async (
  sha256: string,
  folders: readonly string[],
): Promise<string> => {
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.gguf')).sort()) {
      const file = path.join(folder, name);
      // A file that is no model is not the one.
      if ((await digestOfModel(file).catch(() => null)) === sha256) return file;
    }
  }
  throw new ModelFileMissingError(`with the SHA-256 ${sha256}`);
};
