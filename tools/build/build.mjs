/**
 * Compiles every TypeScript source to `dist/`, keeping the folder layout.
 * Types are checked by `npm run types`; this only strips them, so a start costs about a second.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transformFile } from '@swc/core';

const ROOTS = ['apps', 'libs', 'events', 'projections', 'tools', 'test/bench'];

const sources = async (root) => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .filter((entry) => !/\.(spec|contract|specification|d)\.ts$/.test(entry.name))
    .filter((entry) => !entry.parentPath.includes('node_modules'))
    .map((entry) => path.join(entry.parentPath, entry.name));
};

const compile = async (file) => {
  const target = path.join('dist', file.replace(/\.ts$/, '.js'));
  const { code, map } = await transformFile(file, { sourceFileName: path.resolve(file) });
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
  await writeFile(`${target}.map`, map ?? '{}');
};

await rm('dist', { recursive: true, force: true });
const files = (await Promise.all(ROOTS.map(sources))).flat();
await Promise.all(files.map(compile));
