import { type Caller } from '#areas/identity/authentication/caller.js';
import { type VaultCaller } from '#areas/vaults/clearances.js';

/** On whose behalf a request reads a vault. */
export const vaultCallerOf = ({ accountId, credential: { keyId } }: Caller): VaultCaller => ({
  accountId,
  ...(keyId !== undefined && { key: keyId }),
});
