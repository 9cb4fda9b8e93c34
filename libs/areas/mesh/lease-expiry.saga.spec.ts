import { describe, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { leaseExpirySaga } from './lease-expiry.saga.js';
import {
  after,
  completed,
  expired,
  handedOff,
  leased,
  released,
  renewed,
  TASK,
} from './mesh-task.fixture.js';

const saga = sagaSpecOf(leaseExpirySaga);

const timerAt = (seconds: number, token: number) => ({
  kind: 'schedule' as const,
  timer: 'expiry',
  dueAt: after(seconds),
  command: { type: 'ExpireMeshLease' as const, data: { ...TASK, token } },
});

describe('the expiry of leases', () => {
  it('has a timer at the end of a lease, which a renewal and the next lease move', () => {
    saga.given().when(leased).then(timerAt(300, 1));
    saga.given(leased).when(renewed(100, 400)).then(timerAt(400, 1));
    const next = handedOff('bob', 10, { token: 2, because: 'handed_off' });
    saga.given(leased).when(next).then(timerAt(310, 2));
    saga.given(leased, next).when(next).thenHolds({ open: true });
  });

  it.each([
    ['expired', expired(300)],
    ['released', released(10)],
    ['completed', completed(10)],
  ])('cancels the timer when the lease is %s, and forgets the task', (_, end) => {
    saga.given(leased).when(end).then({ kind: 'cancel', timer: 'expiry' });
    saga.given(leased).when(end).thenEnds();
  });
});
