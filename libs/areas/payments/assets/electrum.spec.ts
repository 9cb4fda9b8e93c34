import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAccountKey } from './account-key.js';
import { addressAt } from './addresses.js';

/** Written by `test/oracles/electrum/list-addresses.mjs`. */
const FILE = path.resolve(
  import.meta.dirname,
  '../../../../test/oracles/electrum/expected-addresses.json',
);

interface Listed {
  readonly source: string;
  readonly accounts: readonly { readonly key: string; readonly addresses: readonly string[] }[];
}

describe('the addresses of an account', () => {
  it('are the addresses that Electrum lists for the same key', async () => {
    const { source, accounts } = JSON.parse(await readFile(FILE, 'utf8')) as Listed;
    expect(source).toMatch(/^Electrum \d/);
    expect(accounts.length).toBeGreaterThan(1);
    for (const { key, addresses } of accounts) {
      expect(addresses).toHaveLength(20);
      const account = readAccountKey(key, 'bitcoin');
      expect(addresses.map((_, index) => addressAt('bitcoin', account, index))).toEqual(addresses);
    }
  });
});
