/**
 * Makes one file of a verifier, which needs Node and nothing else:
 *
 *   node tools/verifier/build.mjs [bill] [file]      default: tools/verifier/dist/verify-bill.mjs
 *   node tools/verifier/build.mjs package [file]     default: offline/verify.mjs
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TARGETS = { bill: 'tools/verifier/dist/verify-bill.mjs', package: 'offline/verify.mjs' };

const words = process.argv.slice(2);
const name = Object.hasOwn(TARGETS, words[0]) ? words.shift() : 'bill';

/** `hash` came with Node 20.12, `crc32` with 20.15 and 22.2. */
const CHECK_NODE = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
if (!require('node:crypto').hash || !require('node:zlib').crc32) {
  console.error(
    'verify-${name} needs Node 20.15, 22.2 or later; this is ' + process.version + '. ' +
    'Nothing was verified.'
  );
  process.exit(2);
}`.trim();

const outfile = path.resolve(words[0] ?? path.join(ROOT, TARGETS[name]));
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [`apps/verifier/verify-${name}.main.ts`],
  outfile,
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

const options = { ...(await resolveConfig(import.meta.filename)), parser: 'babel' };
await writeFile(outfile, await format(await readFile(outfile, 'utf8'), options));
