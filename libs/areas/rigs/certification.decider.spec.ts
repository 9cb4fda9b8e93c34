import { describe, expect, it } from '@jest/globals';
import { type Badge, RigCertified, type RigMeasurements } from '#events/rigs/rig.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { BADGE_THRESHOLDS } from './badge-thresholds.js';
import { badgeOf, certificationDecider } from './certification.decider.js';

const thresholds = [...BADGE_THRESHOLDS];
const models = [{ id: 'acme/one', isListed: true }];
const GOLD: RigMeasurements = {
  firstTokenMs: 500,
  firstTokenSamples: 5,
  tokensPerSecond: 50,
  concurrentStreams: 8,
  tokensPerSecondConcurrent: 100,
  isAnswerConsistent: true,
};
const facts = {
  certificationId: '01890a5d-ac96-474b-8cce-b302099a8057',
  rig: 'rack',
  kind: 'openai' as const,
  description: null,
  models,
  measuredModel: 'acme/one',
  measurements: GOLD,
  problems: [],
  thresholds,
  measuredAt: '2026-11-22T06:00:00.000Z',
  expiresAt: '2026-12-22T06:00:00.000Z',
};
const certified = RigCertified.of({ ...facts, badge: 'gold' });

const rig = deciderSpecOf(certificationDecider);

describe('the certification of a rig', () => {
  it('carries the badge and the thresholds it was given by', () => {
    rig.given().when({ type: 'CertifyRig', data: facts }).then(certified);
  });

  it('is given once for a measurement, and not for an older one', () => {
    const older = { ...facts, measuredAt: '2026-11-22T05:59:59.999Z' };
    rig.given(certified).when({ type: 'CertifyRig', data: facts }).thenNothing();
    rig.given(certified).when({ type: 'CertifyRig', data: older }).thenNothing();
  });

  it('is given again', () => {
    const later = { ...facts, measuredAt: '2026-11-23T06:00:00.000Z' };
    rig
      .given(certified)
      .when({ type: 'CertifyRig', data: later })
      .then(RigCertified.of({ ...later, badge: 'gold' }));
  });
});

describe('a badge', () => {
  it.each<[Badge, Partial<RigMeasurements>]>([
    ['gold', {}],
    ['silver', { firstTokenMs: 500.01 }],
    ['silver', { tokensPerSecond: 49.99 }],
    ['silver', { tokensPerSecondConcurrent: 99.99 }],
    ['silver', { firstTokenMs: 2_000, tokensPerSecond: 20, tokensPerSecondConcurrent: 20 }],
    ['bronze', { firstTokenMs: 2_000.01 }],
    ['bronze', { tokensPerSecond: 19.99 }],
    ['bronze', { tokensPerSecondConcurrent: 19.99 }],
    ['bronze', { concurrentStreams: null, tokensPerSecondConcurrent: null }],
    ['bronze', { firstTokenMs: 10_000, tokensPerSecond: 5 }],
    ['none', { firstTokenMs: 10_000.01 }],
    ['none', { tokensPerSecond: 4.99 }],
    ['none', { firstTokenMs: null }],
    ['none', { tokensPerSecond: null }],
    ['none', { isAnswerConsistent: false }],
    ['none', { isAnswerConsistent: null }],
  ])('is %s for %j', (badge, different) => {
    const measurements = { ...GOLD, ...different };
    expect(badgeOf({ models, measurements, thresholds })).toBe(badge);
  });

  it.each([
    ['a missing model', [...models, { id: 'acme/two', isListed: false }]],
    ['a list that was not read', [{ id: 'acme/one', isListed: null }]],
    ['no model', []],
  ])('is none with %s', (_, found) => {
    expect(badgeOf({ models: found, measurements: GOLD, thresholds })).toBe('none');
  });
});
