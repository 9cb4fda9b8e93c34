/**
 * Makes one file of the verifier of bills, which needs Node and nothing else:
 *
 *   node tools/verifier/build.mjs [file]     default: tools/verifier/dist/verify-bill.mjs
 */
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TARGET = path.join(import.meta.dirname, 'dist/verify-bill.mjs');

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ['apps/verifier/verify-bill.main.ts'],
  outfile: path.resolve(process.argv[2] ?? TARGET),
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  // The sources, and not what `npm run build` made of them.
  conditions: ['quipu-source'],
  charset: 'utf8',
  metafile: true,
});

const foreign = Object.keys(metafile.inputs).filter((file) => file.includes('node_modules'));
if (foreign.length > 0) throw new Error(`the verifier has dependencies: ${foreign.join(', ')}`);
