import { VaultsQuery } from '#areas/vaults/vault.queries.js';
import { vaultsOfAccount } from '#projections/vaults/vaults-of-account.projection.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { accountOf } from '../user-option.js';
import { VAULTS_NEEDS, type VaultUserOptions } from './vaults.needs.js';

export interface ListVaultsOptions extends VaultUserOptions {
  readonly page: number;
}

const LIMIT = 50;

export const listVaults = async (
  { user, page }: ListVaultsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...VAULTS_NEEDS, projections: [vaultsOfAccount] };
  const { items, total } = await withQuipu(invocation, needs, async (quipu) => {
    const accountId = await accountOf(quipu, user);
    return quipu.queries.execute(new VaultsQuery(accountId, page, LIMIT));
  });
  const vaults = items.map(({ vaultId, name, model, createdAt }) => ({
    ...{ vault_uuid: vaultId, name, model, created_at: createdAt },
  }));
  const rows = vaults.map((one) => [one.vault_uuid, one.name ?? '', one.model, one.created_at]);
  return {
    json: { vaults, page, total_records: total },
    text:
      rows.length === 0
        ? 'There are no vaults here.'
        : inColumns([['VAULT', 'NAME', 'MODEL', 'CREATED'], ...rows]),
  };
};
