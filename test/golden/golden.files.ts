import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The `data` of a stored event of one version, or its JSON Schema. */
export interface VersionedFile {
  readonly area: string;
  readonly type: string;
  readonly version: number;
  readonly content: unknown;
}

const NAME = /^(?<type>[A-Z][A-Za-z0-9]*)\.v(?<version>[1-9]\d*)\.json$/;

/**
 * Reads `<folder>/<area>/<Type>.v<N>.json`.
 * @throws when a file in an area's folder has another name
 */
const readVersioned = async (folder: string): Promise<readonly VersionedFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.parentPath !== folder);
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const groups = NAME.exec(name)?.groups;
      const file = path.join(parentPath, name);
      if (!groups) throw new Error(`${file} is not named after a type and a version`);
      return {
        area: path.relative(folder, parentPath),
        type: groups['type'] ?? '',
        version: Number(groups['version']),
        content: JSON.parse(await readFile(file, 'utf8')) as unknown,
      };
    }),
  );
};

/** The data of all event versions. These events stay readable permanently. */
export const goldenEvents = (): Promise<readonly VersionedFile[]> =>
  readVersioned(import.meta.dirname);

/** The committed schemas, including older versions. */
export const committedSchemas = (): Promise<readonly VersionedFile[]> =>
  readVersioned(path.resolve(import.meta.dirname, '../../schemas'));

export const nameOf = ({ area, type, version }: Omit<VersionedFile, 'content'>): string =>
  `${area}/${type}.v${version}`;
