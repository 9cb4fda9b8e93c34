/**
 * Compiles the sources to `dist/`, file by file, and bundles what runs in production from there to
 * `bundle/`. Both steps do nothing when nothing has changed.
 */
import { bundle } from './bundle.mjs';
import { compile } from './compile.mjs';

await bundle(await compile());
