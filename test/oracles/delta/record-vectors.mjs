/**
 * Writes `vectors.json`: pairs of files and the deltas that Debian's xdelta3 and bsdiff make of
 * them.
 *
 *   apt-get install xdelta3 bsdiff && node test/oracles/delta/record-vectors.mjs
 */
import { writeFileSync } from 'node:fs';
import { editedPair } from './edits.mjs';
import { COMPRESSED, encode, ENCODERS, versions } from './encoders.mjs';

const PAIRS = [
  { seed: 1, bytes: 3_000 },
  { seed: 2, bytes: 3_000 },
  { seed: 3, bytes: 12_000 },
];

const vectors = PAIRS.map(({ seed, bytes }) => {
  const pair = editedPair(seed, bytes);
  // Only new bytes are compressed a second time.
  const unlike = { base: Buffer.from('another base'), result: pair.base };
  const deltas = (encoders, files) =>
    Object.fromEntries(
      Object.entries(encoders).map(([name, encoder]) => [
        name,
        encode(encoder, files).toString('base64'),
      ]),
    );
  return {
    base: pair.base.toString('base64'),
    result: pair.result.toString('base64'),
    deltas: deltas(ENCODERS, pair),
    compressed: deltas(COMPRESSED, unlike),
  };
});

const file = new URL('./vectors.json', import.meta.url);
writeFileSync(file, `${JSON.stringify({ versions: versions(), vectors }, null, 2)}\n`);
