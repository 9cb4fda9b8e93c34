import { type VaultCaller } from '#areas/vaults/clearances.js';
import { type CommonOptions } from '../invocation.js';
import { type Quipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface VaultUserOptions extends CommonOptions {
  readonly user: string;
}

/** A vault has a port to the embeddings, and they to rigs. */
const areas = ['identity', 'billing', 'catalog', 'inference', 'embeddings', 'jobs', 'vaults'];

export const VAULTS_NEEDS = { areas, installation: 'exists', projections: [] } as const;

/** The account itself: the clearance of no key narrows its own. */
export const callerOf = async (quipu: Quipu, user: string): Promise<VaultCaller> => ({
  accountId: await accountOf(quipu, user),
  keys: [],
});
