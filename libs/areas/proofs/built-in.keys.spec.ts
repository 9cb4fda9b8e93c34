import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { BUILT_IN_KEYS } from './built-in.keys.js';
import { readKey } from './claims.js';

it('has the key that lies beside the proving key', () => {
  const file = new URL('../../../models/ledger-proof/verification-key.json', import.meta.url);
  const keyJson = JSON.stringify(readKey(JSON.parse(readFileSync(file, 'utf8'))));
  expect(BUILT_IN_KEYS).toMatchObject([{ keyJson, sha256: hash('sha256', keyJson), inputs: 5 }]);
});
