import { SetClearanceCommand } from '#areas/vaults/clearance.handlers.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { VAULTS_NEEDS, type VaultUserOptions } from './vaults.needs.js';

export interface ClearanceOptions extends VaultUserOptions {
  readonly marking: string | undefined;
  readonly key?: string;
}

export const setClearance = async (
  { user, key, marking }: ClearanceOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { accountId, keyId, clearance } = await withQuipu(
    invocation,
    VAULTS_NEEDS,
    async (quipu) => {
      const of = { accountId: await accountOf(quipu, user), keyId: key ?? null };
      const order = { ...of, clearance: marking ?? null };
      return quipu.commands.execute(new SetClearanceCommand(order, quipu.context()));
    },
  );
  const whose = keyId === null ? `The account ${accountId}` : `The key ${keyId}`;
  return {
    json: { account_id: accountId, key_id: keyId, clearance },
    text:
      clearance === null
        ? `${whose} has no clearance of its own any more.`
        : `${whose} is cleared for ${clearance}.`,
  };
};
