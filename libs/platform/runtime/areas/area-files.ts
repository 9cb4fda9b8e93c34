import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Area } from './area.js';

/** `.ts` in the sources, `.js` in the build. */
const EXTENSION = path.extname(import.meta.filename);

/** A file of an area, found by its path. */
export interface AreaFile {
  readonly path: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/**
 * Imports `<folder>/<area>/<area><suffix>` of every area that has one.
 * @param suffix of the file's name, without its extension, such as `.bindings`
 */
export const areaFiles = (
  areas: readonly Area[],
  folders: readonly string[],
  suffix: string,
): Promise<readonly AreaFile[]> =>
  Promise.all(
    areas
      .flatMap(({ name }) =>
        folders.map((folder) => path.join(folder, name, `${name}${suffix}${EXTENSION}`)),
      )
      .filter((file) => existsSync(file))
      .map(async (file) => ({
        path: file,
        exports: (await import(pathToFileURL(file).href)) as AreaFile['exports'],
      })),
  );
