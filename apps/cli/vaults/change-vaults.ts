import { CreateVaultCommand, EraseVaultCommand } from '#areas/vaults/change-vault.handlers.js';
import { UserId } from '#events/vocabulary.js';
import { vaultsOfAccount } from '#projections/vaults/vaults-of-account.projection.js';
import { confirm } from '../confirmation.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import {
  callerOf,
  type OneVaultOptions,
  VAULTS_NEEDS,
  type VaultUserOptions,
} from './vaults.needs.js';

export interface CreateVaultOptions extends VaultUserOptions {
  readonly name: string;
  readonly model?: string;
}

export const createVault = async (
  { user, name, model }: CreateVaultOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...VAULTS_NEEDS, projections: [vaultsOfAccount] };
  const { vault } = await withQuipu(invocation, needs, async (quipu) => {
    const accountId = await accountOf(quipu, user);
    const userId = UserId.parse(Number(accountId));
    const order = { accountId, userId, name, model: model ?? null };
    return quipu.commands.execute(new CreateVaultCommand(order, quipu.context()));
  });
  return {
    json: { vault_uuid: vault.vaultId, model: vault.model },
    text: `The vault ${vault.vaultId} was created with the model ${vault.model}.`,
  };
};

export interface EraseVaultOptions extends OneVaultOptions {
  readonly yes: boolean;
}

export const eraseVault = async (
  { vault, user, yes }: EraseVaultOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const consequence = `This destroys the keys of the vault ${vault} and cannot be undone.`;
  const otherwise = 'nothing was erased';
  if (!yes) await confirm({ word: vault, consequence, otherwise }, invocation);
  await withQuipu(invocation, VAULTS_NEEDS, async (quipu) => {
    const caller = await callerOf(quipu, user);
    await quipu.commands.execute(new EraseVaultCommand(vault, caller, quipu.context()));
  });
  return { json: { vault_uuid: vault, erased: true }, text: `The vault ${vault} was erased.` };
};
