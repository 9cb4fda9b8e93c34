import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The paths of all files below a folder; none where it is missing. */
export const filesIn = async (folder) => {
  const options = { recursive: true, withFileTypes: true };
  const entries = await readdir(folder, options).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => path.join(parentPath, name));
};

/** In milliseconds; 0 for a file that is missing. */
export const changedAt = async (file) => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;

/** A reader finds the old file or the new one, also when two builds write it. */
export const replace = async (file, text) => {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, text);
  await rename(fresh, file);
};
