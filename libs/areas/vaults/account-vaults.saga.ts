import { UserErased } from '#events/identity/user.events.js';
import { type Saga } from '#platform/kernel/saga.js';

export interface AccountVaultsCommand {
  readonly type: 'EraseVaults';
  readonly data: { readonly accountId: string };
}

/** The vaults of an erased user end with it: each has a key of its own. */
export const accountVaultsSaga: Saga<UserErased, object, AccountVaultsCommand> = {
  name: 'account-vaults',
  on: { UserErased },
  key: ({ data }) => String(data.userId),
  initialState: {},
  evolve: () => null,
  react: ({ data }) => {
    const command = { type: 'EraseVaults', data: { accountId: String(data.userId) } } as const;
    return [{ kind: 'command', command }];
  },
};
