/**
 * Lets Node load TypeScript sources: `x.js` is its source `x.ts`, subpath imports are the sources,
 * and swc compiles them by `.swcrc`, as the build does. What swc wrote is kept on disk until the
 * source changes, since many processes and threads load the same files.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';

const ROOT = path.dirname(import.meta.dirname);
const MANIFEST = pathToFileURL(path.join(ROOT, 'package.json')).href;
const KEPT = path.join(ROOT, 'node_modules/.cache/typescript-sources');
/** A change of one of these compiles everything. */
const CONFIGURATION = ['.swcrc', 'node_modules/@swc/core/package.json'];

const isSource = (url) => url?.startsWith('file:') && url.endsWith('.ts');

const sourceOf = (specifier, parentURL) => {
  if (!/^(\.{1,2}\/|file:).*\.js$/.test(specifier)) return undefined;
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
  return existsSync(url) ? url.href : undefined;
};

const digestOf = (...texts) => createHash('sha256').update(texts.join('\0')).digest('hex');

/** Other processes read the file while it is replaced. */
const replace = (file, text) => {
  const written = `${file}.${process.pid}.${threadId}`;
  writeFileSync(written, text);
  renameSync(written, file);
};

/**
 * Serves this thread.
 * @param substitutes the module that a specifier of a source names instead
 * @param onLoad receives the address of a loaded source and the file of its source map
 */
export const loadTypeScript = (substitutes = new Map(), onLoad = () => undefined) => {
  mkdirSync(KEPT, { recursive: true });
  const configured = digestOf(
    ...CONFIGURATION.map((file) => readFileSync(path.join(ROOT, file), 'utf8')),
  );

  let swc;
  const compile = (file, source) => {
    // The compiler starts slowly, and often every file is kept.
    swc ??= createRequire(import.meta.url)('@swc/core');
    return swc.transformSync(source, { filename: file, sourceMaps: true });
  };

  /** The program of a source: kept with the digest that it was compiled for in its last line. */
  const programOf = (file, map) => {
    const source = readFileSync(file, 'utf8');
    const mark = `//${digestOf(configured, file, source)}`;
    const kept = map.replace(/map$/, 'mjs');
    const program = existsSync(kept) ? readFileSync(kept, 'utf8') : '';
    if (program.endsWith(mark)) return program;
    const compiled = compile(file, source);
    replace(map, compiled.map);
    replace(kept, `${compiled.code}\n${mark}`);
    return compiled.code;
  };

  const resolve = (specifier, context, nextResolve) => {
    const url = substitutes.get(specifier) ?? sourceOf(specifier, context.parentURL);
    if (url !== undefined) return { url, format: 'module', shortCircuit: true };
    if (!isSource(context.parentURL)) return nextResolve(specifier, context);
    const conditions = ['quipu-source', ...context.conditions];
    // Packages within this one name its sources, too, and have no `imports` of their own.
    const parentURL = specifier.startsWith('#') ? MANIFEST : context.parentURL;
    return nextResolve(specifier, { ...context, parentURL, conditions });
  };

  const load = (url, context, nextLoad) => {
    if (!isSource(url)) return nextLoad(url, context);
    const file = fileURLToPath(url);
    const map = path.join(KEPT, `${path.relative(ROOT, file).replaceAll(path.sep, '+')}.map`);
    const source = programOf(file, map);
    onLoad(url, map);
    return { format: 'module', source, shortCircuit: true };
  };

  registerHooks({ resolve, load });
};
