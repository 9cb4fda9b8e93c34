import { describe, it } from '@jest/globals';
import { RigShareAllocated, RigShareEnded } from '#events/investors/investor.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { rigShareDecider } from './rig-share.decider.js';

const AT = '2026-11-22T05:00:00.000Z';
const FIRST = '01890a5d-ac96-774b-bcce-b302099a8101';
const SECOND = '01890a5d-ac96-774b-bcce-b302099a8102';

const data = (allocationId: string, shareBasisPoints: number) => ({
  allocationId,
  rig: 'press',
  investorId: UserId.parse(9),
  shareBasisPoints,
  platformFeeBasisPoints: 2_000,
  gpus: 4,
  purchasePriceMicroUsd: '12000000000',
  purchasedOn: '2026-11-22',
  allocatedAt: AT,
});
const allocate = (allocationId: string, share: number) =>
  ({ type: 'AllocateShare', data: data(allocationId, share) }) as const;
const allocated = (allocationId: string, share: number) =>
  RigShareAllocated.of(data(allocationId, share));
const end = (allocationId: string) =>
  ({ type: 'EndShare', data: { allocationId, rig: 'press', endedAt: AT } }) as const;
const ended = (allocationId: string) =>
  RigShareEnded.of({ allocationId, rig: 'press', investorId: UserId.parse(9), endedAt: AT });

describe('a node', () => {
  const node = deciderSpecOf(rigShareDecider);

  it('is shared out up to the whole', () => {
    node.given().when(allocate(FIRST, 6_000)).then(allocated(FIRST, 6_000));
    const some = allocated(FIRST, 6_000);
    node.given(some).when(allocate(SECOND, 4_000)).then(allocated(SECOND, 4_000));
    node.given(some).when(allocate(SECOND, 4_001)).thenThrows('node_oversold');
  });

  it('has an allocation once, also after its end', () => {
    node.given(allocated(FIRST, 6_000)).when(allocate(FIRST, 6_000)).thenNothing();
    node.given(allocated(FIRST, 6_000), ended(FIRST)).when(allocate(FIRST, 6_000)).thenNothing();
  });

  it('can be shared out again when a share has ended', () => {
    const facts = [allocated(FIRST, 10_000), ended(FIRST)];
    node
      .given(...facts)
      .when(allocate(SECOND, 10_000))
      .then(allocated(SECOND, 10_000));
  });

  it('ends a share that is held, once', () => {
    node.given(allocated(FIRST, 6_000)).when(end(FIRST)).then(ended(FIRST));
    node.given(allocated(FIRST, 6_000), ended(FIRST)).when(end(FIRST)).thenNothing();
    node.given(allocated(FIRST, 6_000)).when(end(SECOND)).thenThrows('node_share_not_found');
  });

  it('is not bought in the future', () => {
    const later = { ...data(FIRST, 100), purchasedOn: '2026-11-23' };
    node.given().when({ type: 'AllocateShare', data: later }).thenThrows('purchase_in_future');
  });
});
