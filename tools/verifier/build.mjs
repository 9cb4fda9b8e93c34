/**
 * Makes one file of the verifier of bills, which needs Node and nothing else:
 *
 *   node tools/verifier/build.mjs [file]     default: tools/verifier/dist/verify-bill.mjs
 */
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TARGET = path.join(import.meta.dirname, 'dist/verify-bill.mjs');

/** `hash` came with Node 20.12, `crc32` with 20.15 and 22.2. */
const CHECK_NODE = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
if (!require('node:crypto').hash || !require('node:zlib').crc32) {
  console.error(
    'verify-bill needs Node 20.15, 22.2 or later; this is ' + process.version + '. ' +
    'Nothing was verified.'
  );
  process.exit(2);
}`.trim();

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ['apps/verifier/verify-bill.main.ts'],
  outfile: path.resolve(process.argv[2] ?? TARGET),
  bundle: true,
  platform: 'node',
  // A module of Node is loaded by `require` after the check below; an import of a name that an
  // older Node does not have would fail before it.
  format: 'cjs',
  target: 'node14',
  banner: { js: CHECK_NODE },
  // The sources, and not what `npm run build` made of them.
  conditions: ['quipu-source'],
  charset: 'utf8',
  metafile: true,
});

const foreign = Object.keys(metafile.inputs).filter((file) => file.includes('node_modules'));
if (foreign.length > 0) throw new Error(`the verifier has dependencies: ${foreign.join(', ')}`);
