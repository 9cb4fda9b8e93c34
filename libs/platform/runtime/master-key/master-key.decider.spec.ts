import { describe, it } from '@jest/globals';
import {
  MasterKeyAdopted,
  MasterKeyRotated,
  SubjectKeysClaimed,
} from '#events/platform/master-key.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type MasterKeyCommand, masterKeyDecider } from './master-key.decider.js';

const AT = '2026-01-01T00:00:00.000Z';
const [ONE, TWO, THREE] = ['1'.repeat(16), '2'.repeat(16), '3'.repeat(16)];

const sealed = (keyId: string) => ({ keyId, sealedKey: keyId.repeat(4) });
const adoption = (keyId: string) => ({ ...sealed(keyId), adoptedAt: AT });
const rotation = (previousKeyId: string, keyId: string) => ({
  ...sealed(keyId),
  previousKeyId,
  rotatedAt: AT,
});
const adopt = (keyId: string): MasterKeyCommand => ({
  type: 'AdoptMasterKey',
  data: adoption(keyId),
});
const rotate = (from: string, to: string): MasterKeyCommand => ({
  type: 'RotateMasterKey',
  data: rotation(from, to),
});
const adopted = (keyId: string) => MasterKeyAdopted.of(adoption(keyId));
const rotated = (from: string, to: string) => MasterKeyRotated.of(rotation(from, to));

const claim = (setId: string, previousSetId: string | null, reason: string | null = null) => ({
  setId,
  previousSetId,
  reason,
  claimedAt: AT,
});
const claimKeys = (...given: Parameters<typeof claim>): MasterKeyCommand => ({
  type: 'ClaimSubjectKeys',
  data: claim(...given),
});
const claimed = (...given: Parameters<typeof claim>) => SubjectKeysClaimed.of(claim(...given));

const masterKey = deciderSpecOf(masterKeyDecider);

describe('the master key of a log', () => {
  it('is the key of the first start', () => {
    masterKey.given().when(adopt(ONE)).then(adopted(ONE));
    masterKey.given(adopted(ONE)).when(adopt(TWO)).thenNothing();
  });

  it('is replaced by a rotation, once', () => {
    masterKey.given(adopted(ONE)).when(rotate(ONE, TWO)).then(rotated(ONE, TWO));
    masterKey.given(adopted(ONE), rotated(ONE, TWO)).when(rotate(ONE, TWO)).thenNothing();
  });

  it('is not replaced by a rotation of another one', () => {
    masterKey.given().when(rotate(ONE, TWO)).thenThrows('master_key_changed');
    masterKey
      .given(adopted(ONE), rotated(ONE, TWO))
      .when(rotate(ONE, THREE))
      .thenThrows('master_key_changed');
  });
});

describe('the subject keys of a log', () => {
  it('are the set of the first start', () => {
    masterKey.given().when(claimKeys(ONE, null)).then(claimed(ONE, null));
    masterKey.given(claimed(ONE, null)).when(claimKeys(TWO, null)).thenNothing();
    masterKey.given(claimed(ONE, null)).when(claimKeys(ONE, null)).thenNothing();
  });

  it('are replaced by an operator, once', () => {
    const take = claimKeys(TWO, ONE, 'a lost disk');
    masterKey
      .given(claimed(ONE, null))
      .when(take)
      .then(claimed(TWO, ONE, 'a lost disk'));
    masterKey
      .given(claimed(ONE, null), claimed(TWO, ONE, 'a lost disk'))
      .when(take)
      .thenNothing();
  });

  it('are not replaced where another operator was first', () => {
    masterKey
      .given(claimed(ONE, null), claimed(TWO, ONE, 'a lost disk'))
      .when(claimKeys(THREE, ONE, 'a lost disk'))
      .thenThrows('subject_keys_changed');
  });
});
