import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { COMPILED } from './compile.mjs';

/** Where our modules lie; packages are loaded by the bundler. */
const root = `${path.resolve(COMPILED)}${path.sep}`;
/** A program that a module starts, named as it lies beside it. */
const STARTED = /new URL\('\.\/([\w.-]+?)(\.js)?', import\.meta\.url\)/g;
/** How a package that is an ES module gets `require`. */
const OWN_REQUIRE = /^const require = createRequire\(import\.meta\.url\);$/m;

/**
 * Loads modules for the bundle.
 *
 * - `import.meta` of our modules has the path in the bundle that corresponds to their own.
 * - `require` in a package leads into the bundle. Otherwise it would load a second copy of the
 *   module: the types of class-transformer would be lost.
 * - Only our modules have a source map, with positions in TypeScript: Node reads all maps at the
 *   start.
 *
 * @param entries the programs of the bundle, relative to it
 */
export const moduleSources = (entries) => ({
  name: 'module-sources',
  load: {
    filter: { id: /\.js$/ },
    handler: async (file) => {
      if (!file.startsWith(root)) return null;
      const [code, map] = await Promise.all([
        readFile(file, 'utf8'),
        readFile(`${file}.map`, 'utf8'),
      ]);
      return { code: inBundle(code, path.relative(COMPILED, file), entries), map };
    },
  },
  transform: {
    filter: { id: /\/node_modules\/.+\.[cm]?js$/ },
    handler: (code) => ({ code: code.replace(OWN_REQUIRE, ''), map: { mappings: '' } }),
  },
});

const inBundle = (code, file, entries) => {
  for (const [, name] of code.matchAll(STARTED)) {
    const program = path.join(path.dirname(file), `${name}.js`);
    if (!entries.has(program)) throw new Error(`${file} starts ${program}, which is no program`);
  }
  const url = `new URL('${file}', __bundle)`;
  return code
    .replaceAll('import.meta.url', `${url}.href`)
    .replaceAll('import.meta.filename', `__pathOf(${url})`)
    .replaceAll('import.meta.dirname', `__pathOf(new URL('${path.dirname(file)}', __bundle))`);
};
