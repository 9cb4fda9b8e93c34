import { type Caller } from '#areas/identity/authentication/caller.js';
import { keyIdOf } from '#areas/identity/authentication/credentials.js';
import { type VaultCaller } from '#areas/vaults/clearances.js';

/** On whose behalf a request reads a vault. A rotated key is cleared for no more than before. */
export const vaultCallerOf = ({ accountId, credential }: Caller): VaultCaller => {
  const { keyId } = credential;
  return { accountId, keys: keyId === undefined ? [] : [keyId, keyIdOf(credential.id)] };
};
