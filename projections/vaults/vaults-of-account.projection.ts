import { VaultCreated, VaultDescribed, VaultErased } from '#events/vaults/vault.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export type ListedVault = Omit<VaultCreated['data'], 'dimensions'>;

export const vaultsPrefix = (accountId: string): string => `${accountId}/`;

/** Which vaults does an account have, in the order of their creation? */
export const vaultsOfAccount: Projection<VaultCreated | VaultDescribed | VaultErased, ListedVault> =
  {
    name: 'vaults-of-account',
    version: 1,
    on: { VaultCreated, VaultDescribed, VaultErased },
    keys: ({ data }) => [`${vaultsPrefix(data.accountId)}${data.createdAt}/${data.vaultId}`],
    initial: () => ({
      vaultId: '',
      accountId: '',
      userId: 0 as ListedVault['userId'],
      sealedLabel: '',
      model: '',
      createdAt: '',
    }),
    project: ({ type, data }, document) => {
      switch (type) {
        case 'VaultCreated': {
          const { dimensions: _, ...listed } = data;
          return listed;
        }
        case 'VaultDescribed':
          return { ...document, sealedLabel: data.sealedLabel };
        case 'VaultErased':
          return null;
      }
    },
  };
