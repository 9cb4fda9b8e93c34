import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  type BundleEvent,
  BundleExpired,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface OpenBundle {
  readonly bundleId: string;
  readonly accountId: string;
  /** As encoded. */
  readonly bundleBytes: number;
}

type Opening = Exclude<
  BundleEvent,
  { readonly type: 'BundleRejected' | 'BundleRerouted' | 'BundleForwarded' }
>;

/** Which bundles are stored? */
export const openBundles: Projection<Opening, OpenBundle> = {
  name: 'dtn-open-bundles',
  version: 1,
  on: { BundleAccepted, CustodyTransferred, BundleDelivered, BundleCancelled, BundleExpired },
  keys: ({ data }) => [data.bundleId],
  initial: (bundleId) => ({ bundleId, accountId: '', bundleBytes: 0 }),
  project: ({ type, data }, bundle) => {
    if (type !== 'BundleAccepted') return null;
    const { accountId, bundleBytes } = data;
    return { ...bundle, accountId, bundleBytes };
  },
};
