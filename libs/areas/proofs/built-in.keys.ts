import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { LEDGER_KEY, LEDGER_KEY_SHA256 } from './ledger.key.js';

/** Keys that ship with Quipu. */
export const BUILT_IN_KEYS: readonly RegisteredKey[] = [
  {
    keyId: 'ledger-balances-16',
    keyJson: JSON.stringify(LEDGER_KEY),
    sha256: LEDGER_KEY_SHA256,
    scheme: LEDGER_KEY.protocol,
    curve: LEDGER_KEY.curve,
    inputs: LEDGER_KEY.nPublic,
    // One party drew the secrets, so the key is for development.
    source: 'dev-ceremony',
    registeredAt: null,
    retiredAt: null,
  },
];
