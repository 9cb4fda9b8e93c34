import { BatchCreated } from '#events/batches/batch.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface BatchOfAccount {
  readonly batchId: string;
}

/** Keys of one account start with this. */
export const batchesPrefix = (accountId: string): string => `${accountId}/`;

/** In the order of creation. */
export const batchOfAccountKey = (accountId: string, createdAt: string, batchId: string): string =>
  `${batchesPrefix(accountId)}${createdAt}/${batchId}`;

/** Which batches does an account have? */
export const batchesOfAccount: Projection<BatchCreated, BatchOfAccount> = {
  name: 'batches-of-account',
  version: 1,
  on: { BatchCreated },
  keys: ({ data }) => [batchOfAccountKey(data.accountId, data.createdAt, data.batchId)],
  initial: () => ({ batchId: '' }),
  project: ({ data }) => ({ batchId: data.batchId }),
};
