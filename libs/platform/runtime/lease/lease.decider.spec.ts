import { describe, it } from '@jest/globals';
import { LeaseReleased, LeaseTaken } from '#events/platform/lease.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type LeaseCommand, leaseDecider } from './lease.decider.js';

const AT = '2026-01-01T00:00:00.000Z';

const take = (holder: string, over: number): LeaseCommand => ({
  type: 'TakeLease',
  data: { lease: 'reactions', holder, over, takenAt: AT },
});
const release = (holder: string, token: number): LeaseCommand => ({
  type: 'ReleaseLease',
  data: { lease: 'reactions', token, holder, releasedAt: AT },
});
const taken = (holder: string, token: number, from: LeaseTaken['data']['from'] = null) =>
  LeaseTaken.of({ lease: 'reactions', token, holder, from, takenAt: AT });
const released = (holder: string, token: number) =>
  LeaseReleased.of({ lease: 'reactions', token, holder, releasedAt: AT });

const lease = deciderSpecOf(leaseDecider);

describe('the lease', () => {
  it('is taken by the first process, with token 1', () => {
    lease.given().when(take('one', 0)).then(taken('one', 1));
  });

  it('is taken from a holder that was silent, with the next token', () => {
    lease
      .given(taken('one', 1))
      .when(take('two', 1))
      .then(taken('two', 2, { holder: 'one', because: 'silent' }));
  });

  it('is taken after a release, with the next token', () => {
    lease
      .given(taken('one', 1), released('one', 1))
      .when(take('two', 1))
      .then(taken('two', 2, { holder: 'one', because: 'released' }));
  });

  it('goes to one of two processes that saw the same holder end', () => {
    lease
      .given(taken('one', 1), released('one', 1), taken('two', 2))
      .when(take('three', 1))
      .thenThrows('lease_taken');
  });

  it('is not taken over a future token', () => {
    lease.given(taken('one', 1)).when(take('two', 2)).thenThrows('lease_taken');
  });

  it('is not given again to its holder’s name, which another process may have', () => {
    lease.given(taken('one', 1), taken('two', 2)).when(take('one', 1)).thenThrows('lease_taken');
  });

  it('is released by its holder, once', () => {
    lease.given(taken('one', 1)).when(release('one', 1)).then(released('one', 1));
    lease.given(taken('one', 1), released('one', 1)).when(release('one', 1)).thenNothing();
  });

  it.each([
    ['another token', release('one', 2)],
    ['another holder', release('two', 1)],
  ])('is not released under %s', (_, command) => {
    lease.given(taken('one', 1)).when(command).thenNothing();
  });

  it('that was lost is not released', () => {
    lease.given(taken('one', 1), taken('two', 2)).when(release('one', 1)).thenNothing();
  });
});
