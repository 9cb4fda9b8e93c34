import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  type BundleEvent,
  BundleExpired,
  BundleForwarded,
  BundleRejected,
  BundleRerouted,
  type BookedHop,
  type CustodyHold,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface HistoryEntry {
  readonly event:
    | 'accepted'
    | 'rejected'
    | 'rerouted'
    | 'forwarded'
    | 'custody_transferred'
    | 'delivered'
    | 'cancelled'
    | 'expired';
  readonly at: string;
}

type Order = Omit<BundleRejected['data'], 'reason'>;

export interface CustodyRecord extends Order {
  /** This node has the bytes of a stored and of a forwarded bundle. */
  readonly status:
    | 'stored'
    | 'forwarded'
    | 'custody_transferred'
    | 'delivered'
    | 'rejected'
    | 'cancelled'
    | 'expired';
  readonly reason: BundleRejected['data']['reason'] | null;
  /** Null for a rejected bundle. */
  readonly bundleBytes: number | null;
  readonly blob: string | null;
  readonly expiresAt: string | null;
  readonly hold: CustodyHold | null;
  readonly route: readonly BookedHop[] | null;
  /** When the custody ended. */
  readonly endedAt: string | null;
  readonly history: readonly HistoryEntry[];
}

/** Null before the first event. */
export interface BundleDocument {
  readonly bundle: CustodyRecord | null;
}

export const bundlesPrefix = (accountId: string): string => `${accountId}/`;

/** The keys of one account order by the instant of the acceptance. */
const bundleKey = ({ accountId, acceptedAt, bundleId }: BundleEvent['data']): string =>
  `${bundlesPrefix(accountId)}${acceptedAt}/${bundleId}`;

const changed = (
  { type, data }: Exclude<BundleEvent, BundleAccepted | BundleRejected>,
  bundle: CustodyRecord,
): CustodyRecord => {
  const after = (event: HistoryEntry['event'], at: string) => [...bundle.history, { event, at }];
  switch (type) {
    case 'BundleRerouted':
      return {
        ...bundle,
        status: 'stored',
        route: data.route,
        history: after('rerouted', data.reroutedAt),
      };
    case 'BundleForwarded':
      return { ...bundle, status: 'forwarded', history: after('forwarded', data.forwardedAt) };
    case 'CustodyTransferred': {
      const endedAt = data.transferredAt;
      const history = after('custody_transferred', endedAt);
      return { ...bundle, status: 'custody_transferred', route: null, endedAt, history };
    }
    case 'BundleDelivered': {
      const endedAt = bundle.endedAt ?? data.deliveredAt;
      const history = after('delivered', data.deliveredAt);
      return { ...bundle, status: 'delivered', route: null, endedAt, history };
    }
    case 'BundleCancelled': {
      const endedAt = data.cancelledAt;
      const history = after('cancelled', endedAt);
      return { ...bundle, status: 'cancelled', route: null, endedAt, history };
    }
    case 'BundleExpired': {
      const endedAt = bundle.endedAt ?? data.expiredAt;
      const history = after('expired', data.expiredAt);
      return { ...bundle, status: 'expired', route: null, endedAt, history };
    }
  }
};

/** The record that the events of one bundle make. */
export const recordOf = (
  event: BundleEvent,
  before: CustodyRecord | null,
): CustodyRecord | null => {
  switch (event.type) {
    case 'BundleAccepted':
      return {
        ...event.data,
        status: 'stored',
        reason: null,
        endedAt: null,
        history: [{ event: 'accepted', at: event.data.acceptedAt }],
      };
    case 'BundleRejected': {
      const at = event.data.acceptedAt;
      const nothing = { bundleBytes: null, blob: null, expiresAt: null, hold: null, route: null };
      const history = [{ event: 'rejected', at }] as const;
      return { ...event.data, ...nothing, status: 'rejected', endedAt: at, history };
    }
    case 'BundleRerouted':
    case 'BundleForwarded':
    case 'CustodyTransferred':
    case 'BundleDelivered':
    case 'BundleCancelled':
    case 'BundleExpired':
      return before && changed(event, before);
  }
};

/** Which bundles has an account handed over, and what became of each? */
export const bundles: Projection<BundleEvent, BundleDocument> = {
  name: 'dtn-bundles',
  version: 1,
  on: {
    BundleAccepted,
    BundleRejected,
    BundleRerouted,
    BundleForwarded,
    CustodyTransferred,
    BundleDelivered,
    BundleCancelled,
    BundleExpired,
  },
  keys: ({ data }) => [bundleKey(data)],
  initial: () => ({ bundle: null }),
  project: (event, { bundle }) => ({ bundle: recordOf(event, bundle) }),
};
