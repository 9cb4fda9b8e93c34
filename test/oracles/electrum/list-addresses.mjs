/**
 * Restores the extended public keys of `expected-addresses.json` with Electrum and lists their
 * receiving addresses. Electrum shares no code with Quipu.
 *
 *   apt-get install electrum
 *   node test/oracles/electrum/list-addresses.mjs           compares; exit status 1 if they differ
 *   node test/oracles/electrum/list-addresses.mjs --write   writes the file
 *
 * `libs/areas/payments/assets/electrum.spec.ts` compares the file with the addresses of Quipu.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const FILE = path.join(import.meta.dirname, 'expected-addresses.json');

const electrum = (folder, ...words) =>
  execFileSync('electrum', ['--offline', '-D', folder, ...words], { encoding: 'utf8' });

const addressesOf = (key) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'electrum-'));
  try {
    const wallet = path.join(folder, 'wallet');
    electrum(folder, 'restore', '-w', wallet, key);
    return JSON.parse(electrum(folder, 'listaddresses', '--receiving', '-w', wallet));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const expected = JSON.parse(readFileSync(FILE, 'utf8'));
const source = `Electrum ${electrum(tmpdir(), 'version').trim()}`;
const accounts = expected.accounts.map(({ key }) => ({ key, addresses: addressesOf(key) }));
if (process.argv.includes('--write')) {
  writeFileSync(FILE, `${JSON.stringify({ source, accounts }, null, 2)}\n`);
  console.log(`${source}: ${accounts.length} accounts written`);
} else if (JSON.stringify(accounts) === JSON.stringify(expected.accounts)) {
  console.log(`${source} lists the expected addresses of ${accounts.length} accounts`);
} else {
  console.error(`${source} lists other addresses`);
  process.exitCode = 1;
}
