import path from 'node:path';
import { isMissing, readAndZip, type ZippedFile } from '../zipped-file.js';

/** The build writes them beside the programs. */
const FOLDER = path.resolve(import.meta.dirname, '../../../../bundle/console');
/** With the hash of the content, so nothing else is served. */
const ASSET = /^[A-Za-z][\w.-]*-[\w-]{8}\.(css|js|svg)$/;

const assets = new Map<string, ZippedFile>();

/** The page, as the last build wrote it: its assets may have other names than at the start. */
export const consolePage = (): Promise<ZippedFile> => readAndZip(path.join(FOLDER, 'index.html'));

/** An asset, which is kept in memory; undefined for a name that the build did not write. */
export const consoleAsset = async (name: string): Promise<ZippedFile | undefined> => {
  const known = assets.get(name);
  if (known || !ASSET.test(name)) return known;
  const file = path.join(FOLDER, 'assets', name);
  const found = await readAndZip(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found) assets.set(name, found);
  return found;
};
