import { describe, it } from '@jest/globals';
import { ProofKeyRegistered, ProofKeyRetired } from '#events/proofs/proof-key.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { KEYS_MAX, type ProofKeyCommand, proofKeyDecider } from './proof-key.decider.js';

const keys = deciderSpecOf(proofKeyDecider);
const AT = '2026-11-25T19:00:00.000Z';
const KEY: ProofKeyRegistered['data'] = {
  keyId: 'age-over-18',
  keyJson: '{}',
  sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  scheme: 'plonk',
  curve: 'bn128',
  inputs: 2,
  source: 'ceremony of 2026-05-01',
  registeredAt: AT,
};
const register = (more = {}): ProofKeyCommand => ({
  type: 'RegisterProofKey',
  data: { ...KEY, ...more },
});
const retire = (keyId = KEY.keyId): ProofKeyCommand => ({
  type: 'RetireProofKey',
  data: { keyId, retiredAt: AT },
});
const registered = (more = {}) => ProofKeyRegistered.of({ ...KEY, ...more });
const retired = (keyId = KEY.keyId) => ProofKeyRetired.of({ keyId, retiredAt: AT });

describe('registering a proof key', () => {
  it('puts it in force', () => {
    keys.given().when(register()).then(registered());
  });

  it('changes nothing where the same key has the id', () => {
    keys
      .given(registered())
      .when(register({ source: 'another' }))
      .thenNothing();
  });

  it('is rejected for the id of another key, of a retired one and of one that ships', () => {
    const sha256 = '0'.repeat(64);
    keys.given(registered()).when(register({ sha256 })).thenThrows('proof_key_id_taken');
    keys.given(registered(), retired()).when(register()).thenThrows('proof_key_id_taken');
    const shipped = register({ keyId: 'ledger-balances-16' });
    keys.given().when(shipped).thenThrows('proof_key_id_taken');
  });

  it('is rejected above the limit', () => {
    const all = Array.from({ length: KEYS_MAX }, (_, n) => registered({ keyId: `key-${n}` }));
    keys
      .given(...all)
      .when(register())
      .thenThrows('too_many_proof_keys');
    keys
      .given(...all, retired('key-0'))
      .when(register())
      .then(registered());
  });
});

describe('retiring a proof key', () => {
  it('ends it once', () => {
    keys.given(registered()).when(retire()).then(retired());
    keys.given(registered(), retired()).when(retire()).thenNothing();
  });

  it('is rejected for one that there is not, and for one that ships', () => {
    keys.given().when(retire()).thenThrows('proof_key_not_found');
    keys.given().when(retire('ledger-balances-16')).thenThrows('proof_key_built_in');
  });
});
