import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  type BundleEvent,
  BundleExpired,
  BundleForwarded,
  BundleRerouted,
  type BookedHop,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A stored bundle that waits for a contact. */
export interface WaitingBundle {
  readonly bundleId: string;
  readonly contact: string;
}

type Waiting = Exclude<BundleEvent, { readonly type: 'BundleRejected' }>;

/** Urgent bundles first, and among them the oldest. */
const RANKS = { expedited: 0, normal: 1, bulk: 2 } as const;

/** The bundles whose next node it is. */
export const outboxPrefix = (node: string): string => `${node} `;

const keyOf = (
  { priority, acceptedAt, bundleId }: Waiting['data'],
  route: readonly BookedHop[] | null,
): readonly string[] =>
  (route ?? [])
    .slice(0, 1)
    .map(({ to }) => `${outboxPrefix(to)}${RANKS[priority]}/${acceptedAt}/${bundleId}`);

const leftBy = (event: Waiting): readonly string[] => {
  switch (event.type) {
    case 'BundleAccepted':
      return [];
    case 'BundleForwarded':
      return keyOf(event.data, event.data.route);
    case 'BundleRerouted':
    case 'CustodyTransferred':
    case 'BundleDelivered':
    case 'BundleCancelled':
    case 'BundleExpired':
      return keyOf(event.data, event.data.before);
  }
};

const enteredBy = ({ type, data }: Waiting): readonly string[] =>
  type === 'BundleAccepted' || type === 'BundleRerouted' ? keyOf(data, data.route) : [];

/** Which bundles wait for a contact to each node? */
export const outbox: Projection<Waiting, WaitingBundle> = {
  name: 'dtn-outbox',
  version: 1,
  on: {
    BundleAccepted,
    BundleRerouted,
    BundleForwarded,
    CustodyTransferred,
    BundleDelivered,
    BundleCancelled,
    BundleExpired,
  },
  keys: (event) => [...new Set([...leftBy(event), ...enteredBy(event)])],
  initial: () => ({ bundleId: '', contact: '' }),
  project: (event, _, key) => {
    const { type, data } = event;
    const isWaiting = type === 'BundleAccepted' || type === 'BundleRerouted';
    const contact = isWaiting ? data.route?.[0]?.contact : undefined;
    return contact !== undefined && enteredBy(event).includes(key)
      ? { bundleId: data.bundleId, contact }
      : null;
  },
};
