/**
 * Runs worker threads from TypeScript sources under Jest, which transforms only the modules that it
 * loads itself. `npm run jest` preloads this file into every thread of every Jest process, and into
 * processes that inherit its flags. It serves worker threads, and processes that were started from
 * a `.process.ts`. Jest's own threads are left alone.
 */
import { isMainThread } from 'node:worker_threads';
import { loadTypeScript } from './typescript-sources.mjs';

if (!isMainThread || process.argv[1]?.endsWith('.process.ts')) loadTypeScript();
