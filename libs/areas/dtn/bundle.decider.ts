import {
  BundleAccepted,
  BundleCancelled,
  type BundleEvent,
  BundleExpired,
  BundleRejected,
  BundleRerouted,
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
      const stored = storedOf(state);
      const reroutes = state?.history.filter(({ event }) => event === 'rerouted').length ?? 0;
      const isSame = JSON.stringify(stored?.before) === JSON.stringify(data.route);
      return stored && !isSame && reroutes < REROUTES_MAX
        ? [BundleRerouted.of({ ...stored, ...data })]
        : [];
    }
    case 'CancelBundle': {
      if (state?.accountId !== data.accountId) {
        return reject('bundle_not_found', 'there is no such bundle');
      }
      const stored = storedOf(state);
      if (!stored) return reject('bundle_ended', `the bundle is ${state.status}`);
      return [BundleCancelled.of({ ...stored, cancelledAt: data.cancelledAt })];
    }
    case 'ExpireBundle': {
      const stored = storedOf(state);
      const isOver = (state?.expiresAt ?? '') <= data.expiredAt;
      return stored && isOver ? [BundleExpired.of({ ...stored, expiredAt: data.expiredAt })] : [];
    }
  }
};

/** Null for a bundle that is not stored. */
const storedOf = (state: BundleState) => {
  if (state?.status !== 'stored' || state.bundleBytes === null) return null;
  const { bundleId, accountId, acceptedAt, priority, bundleBytes, route } = state;
  return { bundleId, accountId, acceptedAt, priority, bundleBytes, before: route };
};

const evolve = (state: BundleState, event: BundleEvent): BundleState => recordOf(event, state);

export const bundleDecider: Decider<BundleCommand, BundleState, BundleEvent> = {
  initialState: null,
  decide,
  evolve,
};
