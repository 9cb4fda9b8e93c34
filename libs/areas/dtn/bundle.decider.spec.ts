import { describe, it } from '@jest/globals';
import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  BundleExpired,
  BundleForwarded,
  BundleRejected,
  BundleRerouted,
  type BookedHop,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { bundleDecider, REROUTES_MAX } from './bundle.decider.js';

const bundles = deciderSpecOf(bundleDecider);
const AT = '2026-11-25T19:00:00.000Z';
const LATER = '2026-11-25T20:00:00.000Z';
const END = '2026-11-26T19:00:00.000Z';

const hop = (contact: string): BookedHop => ({
  ...{ contact, kind: 'manual', from: 'dtn://quipu/', to: 'dtn://moon/' },
  ...{ sendsAt: LATER, lapsesAt: LATER, arrivesAt: LATER },
});
const OF = { bundleId: '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c', accountId: '7', acceptedAt: AT };
const ORDER = {
  ...OF,
  userId: UserId.parse(7),
  source: 'dtn://quipu/out',
  destination: 'dtn://moon/in',
  priority: 'normal' as const,
  lifetimeSec: 86_400,
  payloadEncoding: 'hex' as const,
  payloadBytes: 5,
};
const hold = { holdId: OF.bundleId, lines: [], rateCardVersion: 1, expiresAt: END };
const STORED = { bundleBytes: 96, expiresAt: END, blob: 'a'.repeat(64), hold };
const accepted = BundleAccepted.of({ ...ORDER, ...STORED, route: [hop('contact-1')] });
const rejected = BundleRejected.of({ ...ORDER, reason: 'store_full' });
const left = { ...OF, bundleBytes: 96, priority: 'normal' as const, before: [hop('contact-1')] };
const rerouted = (route: readonly BookedHop[] | null, before: readonly BookedHop[] | null) =>
  BundleRerouted.of({ ...left, before, route, reroutedAt: LATER });
const cancelled = BundleCancelled.of({ ...left, cancelledAt: LATER });
const expired = BundleExpired.of({ ...left, endsCustody: true, expiredAt: END });

const cancel = (accountId = '7') =>
  ({ type: 'CancelBundle', data: { accountId, cancelledAt: LATER } }) as const;
const expire = (expiredAt = END) => ({ type: 'ExpireBundle', data: { expiredAt } }) as const;
const reroute = (route: readonly BookedHop[] | null) =>
  ({ type: 'RerouteBundle', data: { route, reroutedAt: LATER } }) as const;

const link = { contact: 'contact-1', to: 'dtn://moon/', forwardedAt: LATER };
const { before: _, ...ids } = left;
const forwarded = BundleForwarded.of({ ...ids, ...link, route: [hop('contact-1')] });
const report = { by: 'dtn://moon/' };
const transferred = CustodyTransferred.of({ ...left, ...report, transferredAt: LATER });
const delivered = BundleDelivered.of({
  ...{ ...left, ...report, endsCustody: true, deliveredAt: LATER },
});
const late = { before: null, endsCustody: false };
const forward = { type: 'ForwardBundle', data: link } as const;
const transfer = { type: 'TransferCustody', data: { ...report, transferredAt: LATER } } as const;
const deliver = { type: 'DeliverBundle', data: { ...report, deliveredAt: LATER } } as const;

describe('a bundle that is forwarded', () => {
  it('stays in custody until a report, once', () => {
    bundles.given(accepted).when(forward).then(forwarded);
    bundles.given(accepted, forwarded).when(forward).thenNothing();
    bundles.given(accepted, forwarded).when(transfer).then(transferred);
    bundles.given(accepted, forwarded, transferred).when(transfer).thenNothing();
    bundles.given(accepted, forwarded).when(deliver).then(delivered);
    bundles.given(accepted, forwarded, delivered).when(deliver).thenNothing();
  });

  it('is delivered also after its custody, and after its lifetime', () => {
    const after = BundleDelivered.of({ ...delivered.data, ...late });
    bundles.given(accepted, forwarded, transferred).when(deliver).then(after);
    bundles.given(accepted, forwarded, expired).when(deliver).then(after);
    bundles.given(accepted, expired).when(deliver).thenNothing();
    bundles.given(accepted, cancelled).when(deliver).thenNothing();
  });

  it('ends its custody with the report that overtakes the acknowledgement', () => {
    bundles.given(accepted).when(transfer).then(transferred);
    bundles.given(accepted, transferred).when(forward).thenNothing();
  });

  it('cannot be cancelled, and ends with its lifetime', () => {
    bundles.given(accepted, forwarded).when(cancel()).thenThrows('bundle_ended');
    bundles.given(accepted, forwarded).when(expire()).then(expired);
    const after = BundleExpired.of({ ...expired.data, ...late });
    bundles.given(accepted, forwarded, transferred).when(expire()).then(after);
    bundles.given(accepted, forwarded, transferred, after).when(expire()).thenNothing();
  });

  it('is planned again where no report comes, also on the same route', () => {
    const again = rerouted([hop('contact-1')], [hop('contact-1')]);
    bundles
      .given(accepted, forwarded)
      .when(reroute([hop('contact-1')]))
      .then(again);
    bundles.given(accepted, forwarded, again).when(forward).then(forwarded);
    bundles.given(accepted, forwarded, transferred).when(reroute(null)).thenNothing();
  });
});

describe('a bundle', () => {
  it('is accepted or rejected once', () => {
    const accept = { type: 'AcceptBundle', data: accepted.data } as const;
    const rejectIt = { type: 'RejectBundle', data: rejected.data } as const;
    bundles.given().when(accept).then(accepted);
    bundles.given().when(rejectIt).then(rejected);
    bundles.given(accepted).when(rejectIt).thenNothing();
    bundles.given(rejected).when(accept).thenNothing();
  });

  it('changes its route while it is stored', () => {
    const other = [hop('contact-2')];
    bundles.given(accepted).when(reroute(other)).then(rerouted(other, left.before));
    bundles.given(accepted).when(reroute(left.before)).thenNothing();
    const without = rerouted(null, left.before);
    bundles.given(accepted).when(reroute(null)).then(without);
    bundles.given(accepted, without).when(reroute(other)).then(rerouted(other, null));
    bundles.given(accepted, cancelled).when(reroute(other)).thenNothing();
    bundles.given(rejected).when(reroute(other)).thenNothing();
  });

  it('changes its route a hundred times at most', () => {
    const events = Array.from({ length: REROUTES_MAX }, (_, n) =>
      rerouted([hop(`contact-${n + 2}`)], [hop(`contact-${n + 1}`)]),
    );
    bundles
      .given(accepted, ...events.slice(1))
      .when(reroute(null))
      .then(rerouted(null, events.at(-1)?.data.route ?? null));
    bundles
      .given(accepted, ...events)
      .when(reroute(null))
      .thenNothing();
  });

  it('is cancelled by its account while it is stored', () => {
    bundles.given(accepted).when(cancel()).then(cancelled);
    bundles.given(accepted).when(cancel('8')).thenThrows('bundle_not_found');
    bundles.given().when(cancel()).thenThrows('bundle_not_found');
    bundles.given(accepted, cancelled).when(cancel()).thenThrows('bundle_ended');
    bundles.given(rejected).when(cancel()).thenThrows('bundle_ended');
  });

  it('expires with its lifetime', () => {
    bundles.given(accepted).when(expire()).then(expired);
    bundles.given(accepted).when(expire(LATER)).thenNothing();
    bundles.given(accepted, cancelled).when(expire()).thenNothing();
    bundles.given(accepted, expired).when(expire()).thenNothing();
  });
});
