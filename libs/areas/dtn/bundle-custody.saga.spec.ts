import { describe, it } from '@jest/globals';
import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  BundleForwarded,
  BundleRerouted,
  type BookedHop,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { UserId } from '#events/vocabulary.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { bundleCustodySaga } from './bundle-custody.saga.js';

const saga = sagaSpecOf(bundleCustodySaga);
const AT = '2026-11-25T19:00:00.000Z';
const SOON = '2026-11-25T20:00:00.000Z';
const LATER = '2026-11-25T21:00:00.000Z';
const END = '2026-11-26T19:00:00.000Z';
const bundleId = '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
const data = { bundleId };

const HOLD = { holdId: bundleId, lines: [], rateCardVersion: 1, expiresAt: END };

const hop = (lapsesAt: string): BookedHop => ({
  ...{ contact: 'contact-1', kind: 'manual', from: 'dtn://quipu/', to: 'dtn://moon/' },
  ...{ sendsAt: AT, lapsesAt, arrivesAt: LATER },
});
const accepted = (route: readonly BookedHop[] | null) =>
  BundleAccepted.of({
    ...{ bundleId, accountId: '7', acceptedAt: AT, userId: UserId.parse(7) },
    ...{ source: 'dtn://quipu/out', destination: 'dtn://moon/in', priority: 'normal' },
    ...{ lifetimeSec: 86_400, payloadEncoding: 'hex', payloadBytes: 5 },
    ...{ blob: 'a'.repeat(64), bundleBytes: 96, expiresAt: END, route, hold: HOLD },
  });
const left = {
  ...{ bundleId, accountId: '7', acceptedAt: AT, bundleBytes: 96, before: null },
  priority: 'normal' as const,
};
const lapse = (dueAt: string) =>
  ({
    kind: 'schedule',
    timer: 'lapse',
    dueAt,
    command: { type: 'RerouteBundle', data },
  }) as const;

describe('the custody of a bundle', () => {
  it('keeps its bytes, ends with its lifetime, and is planned again at the first lapse', () => {
    saga
      .given()
      .when(accepted([hop(LATER), hop(SOON)]))
      .then(
        { kind: 'command', command: { type: 'RetainBundle', data } },
        {
          ...{ kind: 'schedule', timer: 'expiry', dueAt: END },
          command: { type: 'ExpireBundle', data },
        },
        lapse(SOON),
      );
  });

  it('follows the lapse of the last route', () => {
    const other = BundleRerouted.of({ ...left, route: [hop(LATER)], reroutedAt: SOON });
    saga.given(accepted(null)).when(other).then(lapse(LATER));
    const none = BundleRerouted.of({ ...left, route: null, reroutedAt: SOON });
    saga.given(accepted(null)).when(none).then({ kind: 'cancel', timer: 'lapse' });
  });

  it('ends with the bundle', () => {
    saga
      .given(accepted(null))
      .when(BundleCancelled.of({ ...left, cancelledAt: SOON }))
      .then(
        { kind: 'cancel', timer: 'expiry' },
        { kind: 'cancel', timer: 'lapse' },
        { kind: 'command', command: { type: 'ReleaseBundle', data } },
        { kind: 'command', command: { type: 'ChargeBundle', data } },
      );
  });

  it('waits a day for a report of a forwarded bundle, and lets go of one that is safe', () => {
    const { before: _, ...ids } = left;
    const forwarded = BundleForwarded.of({
      ...{ ...ids, contact: 'contact-1', to: 'dtn://moon/', route: [hop(LATER)] },
      forwardedAt: AT,
    });
    saga
      .given(accepted([hop(LATER)]))
      .when(forwarded)
      .then(lapse(END));
    const by = 'dtn://moon/';
    const end = [
      { kind: 'cancel', timer: 'lapse' },
      { kind: 'command', command: { type: 'ReleaseBundle', data } },
      { kind: 'command', command: { type: 'ChargeBundle', data } },
    ] as const;
    const transferred = CustodyTransferred.of({ ...left, by, transferredAt: SOON });
    saga
      .given(accepted(null), forwarded)
      .when(transferred)
      .then(...end);
    const delivered = (endsCustody: boolean) =>
      BundleDelivered.of({ ...left, by, endsCustody, deliveredAt: SOON });
    const expiry = { kind: 'cancel', timer: 'expiry' } as const;
    saga
      .given(accepted(null), forwarded)
      .when(delivered(true))
      .then(expiry, ...end);
    saga.given(accepted(null), forwarded, transferred).when(delivered(false)).then(expiry);
  });
});
