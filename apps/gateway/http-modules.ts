import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Type } from '@nestjs/common';
import { type Area } from '#platform/runtime/area.js';

/** `.ts` in the sources, `.js` in the build. */
const EXTENSION = path.extname(import.meta.filename);
const SUFFIX = 'HttpModule';

/**
 * The HTTP modules of the areas, found by their path:
 * `<folder>/<area>/<area>-http.module`, which exports one class named `…HttpModule`.
 * @param folders default: the folder of this file
 * @throws Error for a file without such a class
 */
export const httpModulesOf = async (
  areas: readonly Area[],
  folders: readonly string[] = [import.meta.dirname],
): Promise<readonly Type[]> => {
  const files = areas.flatMap(({ name }) =>
    folders
      .map((folder) => path.join(folder, name, `${name}-http.module${EXTENSION}`))
      .filter((file) => existsSync(file)),
  );
  return Promise.all(files.map(httpModuleIn));
};

const httpModuleIn = async (file: string): Promise<Type> => {
  const exported = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  const [name] = Object.keys(exported).filter((one) => one.endsWith(SUFFIX));
  if (name === undefined) throw new Error(`${file} exports no class named …${SUFFIX}`);
  return exported[name] as Type;
};
