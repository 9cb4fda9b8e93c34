/**
 * Compiles every TypeScript source to `dist/`, keeping the folder layout. Types are checked by
 * `npm run types`; this only strips them, so a first build costs under a second.
 *
 * Files are replaced one by one and only when their source is newer: a server that runs from
 * `dist/` during a build never finds a file missing.
 */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transformFile } from '@swc/core';

const ROOTS = [
  'apps',
  'libs',
  'events',
  'projections',
  'tools',
  'test/bench',
  'test/mutants',
  'test/servers',
];
const TARGET = 'dist';
/** A change of one of these rebuilds everything. */
const CONFIGURATION = ['.swcrc', 'package-lock.json', 'tools/build/build.mjs'];

const isSource = ({ name, parentPath }) =>
  name.endsWith('.ts') &&
  !/\.(spec|contract|fake|fixture|d)\.ts$/.test(name) &&
  !parentPath.includes('node_modules');

const filesIn = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile());
};

const changedAt = async (file) => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;

const targetOf = (source) => path.join(TARGET, source.replace(/\.ts$/, '.js'));

const replace = async (file, text) => {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, text);
  await rename(fresh, file);
};

const compile = async (source) => {
  const target = targetOf(source);
  const { code, map } = await transformFile(source, { sourceFileName: path.resolve(source) });
  await mkdir(path.dirname(target), { recursive: true });
  await replace(`${target}.map`, map ?? '{}');
  await replace(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
};

const sources = (await Promise.all(ROOTS.map(filesIn)))
  .flat()
  .filter(isSource)
  .map(({ name, parentPath }) => path.join(parentPath, name));

const configuredAt = Math.max(...(await Promise.all(CONFIGURATION.map(changedAt))));
const isStale = async (source) => {
  const builtAt = await changedAt(targetOf(source));
  return builtAt < configuredAt || builtAt < (await changedAt(source));
};
const stale = await Promise.all(sources.map(isStale));
await Promise.all(sources.filter((_, index) => stale[index]).map(compile));

const wanted = new Set(sources.flatMap((source) => [targetOf(source), `${targetOf(source)}.map`]));
const built = (await filesIn(TARGET)).map(({ name, parentPath }) => path.join(parentPath, name));
await Promise.all(built.filter((file) => !wanted.has(file)).map((file) => rm(file)));
