import { describe, expect, it } from '@jest/globals';
import { VaultCreated, VaultDescribed, VaultErased } from '#events/vaults/vault.events.js';
import { UserId } from '#events/vocabulary.js';
import { vaultsOfAccount, vaultsPrefix } from './vaults-of-account.projection.js';

const AT = '2026-11-25T19:00:00.000Z';
const of = { vaultId: '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c', accountId: '7' };
const listed = {
  ...{ ...of, userId: UserId.parse(7), sealedLabel: 'A'.repeat(56), model: 'words' },
  createdAt: AT,
};
const created = VaultCreated.of({ ...listed, dimensions: 32 });
const erased = VaultErased.of({ ...of, reason: 'requested', createdAt: AT, erasedAt: AT });

describe('the vaults of an account', () => {
  it('are listed under one key from their creation to their erasure', () => {
    const [key = ''] = vaultsOfAccount.keys(created);
    expect(key.startsWith(vaultsPrefix('7'))).toBe(true);
    expect(vaultsOfAccount.keys(erased)).toEqual([key]);
    expect(vaultsOfAccount.project(created, vaultsOfAccount.initial(key), key)).toEqual(listed);
    const sealedLabel = 'B'.repeat(56);
    const described = VaultDescribed.of({ ...of, sealedLabel, createdAt: AT, describedAt: AT });
    expect(vaultsOfAccount.keys(described)).toEqual([key]);
    expect(vaultsOfAccount.project(described, listed, key)).toEqual({ ...listed, sealedLabel });
    expect(vaultsOfAccount.project(erased, listed, key)).toBeNull();
  });
});
