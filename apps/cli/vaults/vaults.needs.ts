import { type VaultCaller } from '#areas/vaults/clearances.js';
import { type CommonOptions } from '../invocation.js';
import { type Quipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface VaultUserOptions extends CommonOptions {
  readonly user: string;
}

export interface OneVaultOptions extends VaultUserOptions {
  readonly vault: string;
}

/** A vault embeds with a model of the embeddings. */
const areas = ['identity', 'billing', 'catalog', 'inference', 'embeddings', 'jobs', 'vaults'];

export const VAULTS_NEEDS = { areas, installation: 'exists', projections: [] } as const;

/** The account itself: the clearance of no key narrows its own. */
export const callerOf = async (quipu: Quipu, user: string): Promise<VaultCaller> => ({
  accountId: await accountOf(quipu, user),
  keys: [],
});
