/**
 * Compiles every TypeScript source to `dist/`, keeping the folder layout. Types are checked by
 * `npm run types`; this only strips them, so a first build costs under a second.
 *
 * Files are replaced one by one and only when their source is newer: a program that runs from
 * `dist/` during a build never finds a file missing.
 */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { transformFile } from '@swc/core';
import { changedAt, filesIn, replace } from './files.mjs';

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
export const COMPILED = 'dist';
/** `console.mjs` bundles it from its sources. */
const FOR_BROWSERS = path.join('apps', 'console', path.sep);
/** A change of one of these compiles everything. */
const CONFIGURATION = ['.swcrc', 'package-lock.json', 'tools/build/compile.mjs'];

const isSource = (file) =>
  file.endsWith('.ts') &&
  !/\.(spec|contract|fake|fixture|d)\.ts$/.test(file) &&
  !file.startsWith(FOR_BROWSERS) &&
  !file.includes('node_modules');

const targetOf = (source) => path.join(COMPILED, source.replace(/\.ts$/, '.js'));

const compileFile = async (source) => {
  const target = targetOf(source);
  const { code, map } = await transformFile(source, { sourceFileName: path.resolve(source) });
  await mkdir(path.dirname(target), { recursive: true });
  await replace(`${target}.map`, map ?? '{}');
  await replace(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
};

/** Resolves to the compiled files and the time at which the youngest of them was written. */
export const compile = async () => {
  const sources = (await Promise.all(ROOTS.map(filesIn))).flat().filter(isSource);
  const configuredAt = Math.max(...(await Promise.all(CONFIGURATION.map(changedAt))));
  const isStale = async (source) => {
    const builtAt = await changedAt(targetOf(source));
    return builtAt < configuredAt || builtAt < (await changedAt(source));
  };
  const stale = await Promise.all(sources.map(isStale));
  await Promise.all(sources.filter((_, index) => stale[index]).map(compileFile));

  const files = sources.map(targetOf);
  const wanted = new Set(files.flatMap((file) => [file, `${file}.map`]));
  const unwanted = (await filesIn(COMPILED)).filter((file) => !wanted.has(file));
  await Promise.all(unwanted.map((file) => rm(file)));
  return { files, writtenAt: Math.max(...(await Promise.all(files.map(changedAt)))) };
};
