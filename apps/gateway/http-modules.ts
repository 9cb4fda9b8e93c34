import { type Type } from '@nestjs/common';
import { type Area } from '#platform/runtime/areas/area.js';
import { type AreaFile, areaFiles } from '#platform/runtime/areas/area-files.js';

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
): Promise<readonly Type[]> => (await areaFiles(areas, folders, '-http.module')).map(httpModuleIn);

const httpModuleIn = ({ path, exports }: AreaFile): Type => {
  const [name] = Object.keys(exports).filter((one) => one.endsWith(SUFFIX));
  if (name === undefined) throw new Error(`${path} exports no class named …${SUFFIX}`);
  return exports[name] as Type;
};
