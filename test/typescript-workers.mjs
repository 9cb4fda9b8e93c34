/**
 * Runs worker threads from TypeScript sources under Jest, which transforms only the modules that it
 * loads itself. `npm run jest` preloads this file into every thread of every Jest process, and into
 * processes that inherit its flags. In a worker thread, and in a process that was started from a
 * `.process.ts`, it resolves `x.js` to its source `x.ts`, resolves subpath imports to the
 * sources, and compiles them by `.swcrc`, as the build does. Jest's own threads are left alone.
 */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const isSource = (url) => url?.startsWith('file:') && url.endsWith('.ts');

const sourceOf = (specifier, parentURL) => {
  if (!/^(\.{1,2}\/|file:).*\.js$/.test(specifier)) return undefined;
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
  return existsSync(url) ? url.href : undefined;
};

const resolve = (specifier, context, nextResolve) => {
  const source = sourceOf(specifier, context.parentURL);
  if (source !== undefined) return { url: source, format: 'module', shortCircuit: true };
  if (!isSource(context.parentURL)) return nextResolve(specifier, context);
  const conditions = ['quipu-source', ...context.conditions];
  return nextResolve(specifier, { ...context, conditions });
};

if (!isMainThread || process.argv[1]?.endsWith('.process.ts')) {
  // Loaded only here, since the compiler starts slowly.
  const { transformFileSync } = await import('@swc/core');
  const load = (url, context, nextLoad) => {
    if (!isSource(url)) return nextLoad(url, context);
    const { code } = transformFileSync(fileURLToPath(url), { sourceMaps: 'inline' });
    return { format: 'module', source: code, shortCircuit: true };
  };
  registerHooks({ resolve, load });
}
