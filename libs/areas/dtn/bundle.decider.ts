import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  type BundleEvent,
  BundleExpired,
  BundleForwarded,
  BundleRejected,
  BundleRerouted,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { type CustodyRecord, recordOf } from '#projections/dtn/bundles.projection.js';
import { reject } from './dtn.errors.js';

/** Of one bundle; later changes of the plan leave its route. */
export const REROUTES_MAX = 100;

export type BundleCommand =
  | { readonly type: 'AcceptBundle'; readonly data: BundleAccepted['data'] }
  | { readonly type: 'RejectBundle'; readonly data: BundleRejected['data'] }
  | {
      readonly type: 'RerouteBundle';
      readonly data: Pick<BundleRerouted['data'], 'route' | 'reroutedAt'>;
    }
  | {
      readonly type: 'CancelBundle';
      readonly data: { readonly accountId: string; readonly cancelledAt: string };
    }
  | {
      readonly type: 'ForwardBundle';
      readonly data: Pick<BundleForwarded['data'], 'contact' | 'to' | 'forwardedAt'>;
    }
  | {
      readonly type: 'TransferCustody';
      readonly data: Pick<CustodyTransferred['data'], 'by' | 'transferredAt'>;
    }
  | {
      readonly type: 'DeliverBundle';
      readonly data: Pick<BundleDelivered['data'], 'by' | 'deliveredAt'>;
    }
  | { readonly type: 'ExpireBundle'; readonly data: { readonly expiredAt: string } };

/** Null before the first event. */
export type BundleState = CustodyRecord | null;

const decide = ({ type, data }: BundleCommand, state: BundleState): BundleEvent[] => {
  switch (type) {
    case 'AcceptBundle':
      return state ? [] : [BundleAccepted.of(data)];
    case 'RejectBundle':
      return state ? [] : [BundleRejected.of(data)];
    case 'RerouteBundle': {
      const stored = keptOf(state);
      const reroutes = state?.history.filter(({ event }) => event === 'rerouted').length ?? 0;
      const isSame = JSON.stringify(stored?.before) === JSON.stringify(data.route);
      const isPlanned = isSame && state?.status === 'stored';
      return stored && !isPlanned && reroutes < REROUTES_MAX
        ? [BundleRerouted.of({ ...stored, ...data })]
        : [];
    }
    case 'CancelBundle': {
      if (state?.accountId !== data.accountId) {
        return reject('bundle_not_found', 'there is no such bundle');
      }
      const stored = state.status === 'stored' ? keptOf(state) : null;
      if (!stored) return reject('bundle_ended', `the bundle is ${state.status}`);
      return [BundleCancelled.of({ ...stored, cancelledAt: data.cancelledAt })];
    }
    case 'ForwardBundle': {
      const stored = state?.status === 'stored' ? keptOf(state) : null;
      if (!stored) return [];
      const { before: route, ...ids } = stored;
      return [BundleForwarded.of({ ...ids, ...data, route })];
    }
    case 'TransferCustody': {
      // A report may overtake the acknowledgement of the link, and tells more.
      const stored = keptOf(state);
      return stored ? [CustodyTransferred.of({ ...stored, ...data })] : [];
    }
    case 'DeliverBundle': {
      const left = leftOf(state);
      return left ? [BundleDelivered.of({ ...left, ...data })] : [];
    }
    case 'ExpireBundle': {
      const left = leftOf(state);
      const isOver = (state?.expiresAt ?? '') <= data.expiredAt;
      const isExpired = state?.status === 'expired';
      return left && isOver && !isExpired ? [BundleExpired.of({ ...left, ...data })] : [];
    }
  }
};

type Kept = Exclude<BundleState, null>;

const idsOf = (state: Kept, bundleBytes: number) => {
  const { bundleId, accountId, acceptedAt, priority, route } = state;
  return { bundleId, accountId, acceptedAt, priority, bundleBytes, before: route };
};

export const isKept = ({ status }: Kept): boolean => status === 'stored' || status === 'forwarded';

/** Null for a bundle that this node no longer has. */
const keptOf = (state: BundleState) =>
  state && isKept(state) && state.bundleBytes !== null ? idsOf(state, state.bundleBytes) : null;

/** Null for a bundle that was never forwarded and has ended, and for a delivered one. */
const leftOf = (state: BundleState) => {
  if (!state || state.bundleBytes === null) return null;
  const wasForwarded = state.history.some(({ event }) => event === 'forwarded');
  const isLate =
    state.status === 'custody_transferred' || (state.status === 'expired' && wasForwarded);
  return isKept(state) || isLate
    ? { ...idsOf(state, state.bundleBytes), endsCustody: isKept(state) }
    : null;
};

const evolve = (state: BundleState, event: BundleEvent): BundleState => recordOf(event, state);

export const bundleDecider: Decider<BundleCommand, BundleState, BundleEvent> = {
  initialState: null,
  decide,
  evolve,
};
