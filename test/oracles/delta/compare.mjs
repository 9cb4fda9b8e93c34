/**
 * Applies deltas that Debian's xdelta3 and bsdiff make of random pairs, and compares the results.
 *
 *   npm run build && node test/oracles/delta/compare.mjs [pairs]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyDelta } from '../../../dist/libs/platform/delta/apply-delta.js';
import { editedPair } from './edits.mjs';
import { encode, ENCODERS } from './encoders.mjs';

const pairs = Number(process.argv[2] ?? 50);
const folder = mkdtempSync(join(tmpdir(), 'delta-compare-'));
const [base, delta, result] = ['base', 'delta', 'result'].map((name) => join(folder, name));
let applied = 0;
try {
  for (let seed = 1; seed <= pairs; seed += 1) {
    const pair = editedPair(seed, 1 + ((seed * 7_919) % 60_000));
    writeFileSync(base, pair.base);
    for (const [name, encoder] of Object.entries(ENCODERS)) {
      writeFileSync(delta, encode(encoder, pair));
      rmSync(result, { force: true });
      const limits = { resultBytesMax: 2 ** 30, withMd5: false };
      applyDelta({ base, delta, result, scratch: folder, ...limits });
      const same = readFileSync(result).equals(pair.result);
      if (!same) throw new Error(`seed ${seed}: ${name} gives another result`);
      applied += 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(`${applied} deltas gave the same result.\n`);
