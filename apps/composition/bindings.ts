import { type Provider } from '@nestjs/common';
import { type Area } from '#platform/runtime/areas/area.js';
import { type AreaFile, areaFiles } from '#platform/runtime/areas/area-files.js';

/**
 * The providers that bind the ports of the areas to services of other areas, found by their path:
 * `<folder>/<area>/<area>.bindings`, which exports `bindings`.
 * @param folders default: the folder of this file
 * @throws Error for a file without them
 */
export const bindingsOf = async (
  areas: readonly Area[],
  folders: readonly string[] = [import.meta.dirname],
): Promise<readonly Provider[]> =>
  (await areaFiles(areas, folders, '.bindings')).flatMap(bindingsIn);

const bindingsIn = ({ path, exports: { bindings } }: AreaFile): readonly Provider[] => {
  if (!Array.isArray(bindings)) throw new Error(`${path} exports no bindings`);
  return bindings as readonly Provider[];
};
