/**
 * Makes the keys of the ledger statement on this machine:
 *
 *   npm run ceremony [-- FOLDER]
 *
 * Snarkjs draws the secrets of both phases and forgets them at its end. Kept secrets would forge
 * proofs, and no other party took part: the keys are for development. FOLDER is
 * `models/ledger-proof` by default; an operator's own keys belong in
 * `QUIPU_HOME/models/ledger-proof`.
 */
import { spawnSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SnarkjsKey } from '#engines/proofs/proofs.protocol.js';
import { r1csFile } from '#engines/proofs/ledger/circuit-files.js';
import { CHAIN_START, ledgerStatement } from '#engines/proofs/ledger/ledger-statement.js';

/** The circuit has fewer constraints than 2 to this power. */
const POWER = 13;
const SNARKJS = path.join(
  path.dirname(createRequire(import.meta.url).resolve('snarkjs')),
  'cli.cjs',
);

const SHIPPED = path.resolve('models/ledger-proof');
/** The key that ships is registered without an event. */
const BUILT_IN = path.resolve('libs/areas/proofs/ledger.key.ts');

const builtInOf = (keyFile: Buffer): string => {
  const key = JSON.stringify(SnarkjsKey.parse(JSON.parse(keyFile.toString())));
  return [
    '/** Written by `npm run ceremony`. */',
    `export const LEDGER_KEY = ${key} as const;`,
    '',
    '/** Of the key as compact JSON. */',
    `export const LEDGER_KEY_SHA256 = '${hash('sha256', key)}';`,
    '',
  ].join('\n');
};

const folder = path.resolve(process.argv[2] ?? SHIPPED);
const draft = mkdtempSync(path.join(tmpdir(), 'quipu-ceremony-'));
const at = (name: string): string => path.join(draft, name);
const entropy = (): string => `-e=${randomBytes(64).toString('hex')}`;

const snarkjs = (...args: readonly string[]): void => {
  const { status, stdout } = spawnSync(process.execPath, [SNARKJS, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`snarkjs ${args.slice(0, 2).join(' ')} failed: ${stdout}`);
};

try {
  const circuit = r1csFile(ledgerStatement([], CHAIN_START, 0n).system);
  const [r1cs, zkey, key] = [at('circuit.r1cs'), at('proving.zkey'), at('verification-key.json')];
  writeFileSync(r1cs, circuit);
  snarkjs('powersoftau', 'new', 'bn128', String(POWER), at('new.ptau'));
  snarkjs('powersoftau', 'contribute', at('new.ptau'), at('drawn.ptau'), '--name=dev', entropy());
  snarkjs('powersoftau', 'prepare', 'phase2', at('drawn.ptau'), at('final.ptau'));
  snarkjs('groth16', 'setup', r1cs, at('final.ptau'), at('new.zkey'));
  snarkjs('zkey', 'contribute', at('new.zkey'), zkey, '--name=dev', entropy());
  snarkjs('zkey', 'verify', r1cs, at('final.ptau'), zkey);
  snarkjs('zkey', 'export', 'verificationkey', zkey, key);
  mkdirSync(folder, { recursive: true });
  const files = { 'proving.zkey': readFileSync(zkey), 'verification-key.json': readFileSync(key) };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(folder, name), bytes);
  const ceremony = {
    source: 'dev-ceremony',
    circuitSha256: hash('sha256', circuit),
    provingKeySha256: hash('sha256', files['proving.zkey']),
    verificationKeySha256: hash('sha256', files['verification-key.json']),
  };
  writeFileSync(path.join(folder, 'ceremony.json'), `${JSON.stringify(ceremony, null, 2)}\n`);
  if (folder === SHIPPED) writeFileSync(BUILT_IN, builtInOf(files['verification-key.json']));
  console.log(
    `${folder}: ${files['proving.zkey'].length} bytes, circuit ${ceremony.circuitSha256}`,
  );
} finally {
  rmSync(draft, { recursive: true, force: true });
}
