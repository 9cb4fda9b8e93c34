import { hash } from 'node:crypto';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { LEDGER_KEY } from './ledger.key.js';

const ledgerKeyJson = JSON.stringify(LEDGER_KEY);

/** Keys that ship with Quipu. */
export const BUILT_IN_KEYS: readonly RegisteredKey[] = [
  {
    keyId: 'ledger-balances-16',
    keyJson: ledgerKeyJson,
    sha256: hash('sha256', ledgerKeyJson),
    scheme: LEDGER_KEY.protocol,
    curve: LEDGER_KEY.curve,
    inputs: LEDGER_KEY.nPublic,
    // One party drew the secrets, so the key is for development.
    source: 'dev-ceremony',
    registeredAt: null,
    retiredAt: null,
  },
];
