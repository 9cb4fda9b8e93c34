import { TaxStatusSet } from '#events/tax/tax-status.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export type TaxStatus = TaxStatusSet['data'];

/** Where is the holder of an account taxed? */
export const taxStatuses: Projection<TaxStatusSet, TaxStatus> = {
  name: 'tax-status',
  version: 1,
  on: { TaxStatusSet },
  keys: ({ data }) => [data.accountId],
  initial: (accountId) => ({
    accountId,
    country: '',
    region: null,
    setAt: '',
    taxExempt: false,
    business: false,
    treatyClaimed: false,
  }),
  project: ({ data }) => data,
};
