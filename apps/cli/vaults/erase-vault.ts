import { EraseVaultCommand } from '#areas/vaults/change-vault.handlers.js';
import { confirm } from '../confirmation.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { callerOf, VAULTS_NEEDS, type VaultUserOptions } from './vaults.needs.js';

export interface EraseVaultOptions extends VaultUserOptions {
  readonly vault: string;
  readonly yes?: boolean;
}

export const eraseVault = async (
  options: EraseVaultOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { vault, user } = options;
  const consequence = `This destroys the keys of the vault ${vault} and cannot be undone.`;
  const otherwise = 'nothing was erased';
  await confirm({ word: vault, consequence, otherwise }, options, invocation);
  await withQuipu(invocation, VAULTS_NEEDS, async (quipu) => {
    const caller = await callerOf(quipu, user);
    await quipu.commands.execute(new EraseVaultCommand(vault, caller, quipu.context()));
  });
  return { json: { vault_uuid: vault, erased: true }, text: `The vault ${vault} was erased.` };
};
