import {
  BundleAccepted,
  BundleCancelled,
  type BundleEvent,
  BundleExpired,
} from '#events/dtn/dtn.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface OpenBundle {
  readonly bundleId: string;
}

type Opening = Exclude<BundleEvent, { readonly type: 'BundleRejected' | 'BundleRerouted' }>;

/** Which bundles are stored? */
export const openBundles: Projection<Opening, OpenBundle> = {
  name: 'dtn-open-bundles',
  version: 1,
  on: { BundleAccepted, BundleCancelled, BundleExpired },
  keys: ({ data }) => [data.bundleId],
  initial: (bundleId) => ({ bundleId }),
  project: ({ type }, bundle) => (type === 'BundleAccepted' ? bundle : null),
};
