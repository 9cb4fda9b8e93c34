import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  type BundleEvent,
  BundleExpired,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface StoredBundles {
  readonly bundles: number;
  /** As encoded. */
  readonly bytes: number;
}

type Stored = Exclude<
  BundleEvent,
  { readonly type: 'BundleRejected' | 'BundleRerouted' | 'BundleForwarded' }
>;

/** How much of the store do the bundles of an account take? */
export const storedBundles: Projection<Stored, StoredBundles> = {
  name: 'dtn-stored-bundles',
  version: 1,
  on: { BundleAccepted, CustodyTransferred, BundleDelivered, BundleCancelled, BundleExpired },
  keys: ({ data }) => [data.accountId],
  initial: () => ({ bundles: 0, bytes: 0 }),
  project: ({ type, data }, { bundles, bytes }) => {
    const isLate = 'endsCustody' in data && !data.endsCustody;
    const sign = type === 'BundleAccepted' ? 1 : isLate ? 0 : -1;
    return { bundles: bundles + sign, bytes: bytes + sign * data.bundleBytes };
  },
};
