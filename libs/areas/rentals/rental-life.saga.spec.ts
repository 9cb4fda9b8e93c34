import { describe, expect, it } from '@jest/globals';
import {
  JobCancelled,
  JobCompleted,
  JobFailed,
  JobId,
  JobPaused,
  JobTimedOut,
} from '#events/jobs/job.events.js';
import { PortBlockReserved } from '#events/rentals/rental.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { rentalLifeSaga } from './rental-life.saga.js';
import { rentalNotifications } from './rental-notifications.js';

const rentalId = JobId.parse('019aa7d0-7a3b-7c5d-8e9f-0a1b2c3d4e5f');
const AT = '2026-11-22T10:00:00.000Z';
const ofJob = { jobId: rentalId, accountId: '7', type: 'rental', submittedAt: AT };
const used = { usage: [], checkpoint: null };

const reserved = PortBlockReserved.of({
  rentalId,
  accountId: '7',
  number: 1,
  firstPort: 20_000,
  lastPort: 20_099,
  reservedAt: AT,
});
const completed = (type = 'rental') =>
  JobCompleted.of({
    ...ofJob,
    type,
    attempt: 1,
    summary: {},
    usage: [],
    result: { address: 'a'.repeat(64), bytes: 10 },
    completedAt: AT,
  });
const failed = JobFailed.of({
  ...ofJob,
  ...used,
  code: 'rental_not_started',
  message: 'no',
  failedAt: AT,
});
const cancelled = JobCancelled.of({ ...ofJob, ...used, cancelledAt: AT });
const timedOut = (limit: 'run' | 'funds') =>
  JobTimedOut.of({ ...ofJob, ...used, limit, timedOutAt: AT });
const paused = JobPaused.of({
  ...ofJob,
  reason: 'insufficient_funds',
  pausedAt: AT,
  until: '2026-11-22T11:00:00.000Z',
});

const life = sagaSpecOf(rentalLifeSaga);

describe('the ports of a rental', () => {
  const end = { type: 'EndRental', data: { rentalId } } as const;
  const reclaim = { type: 'ReclaimPorts', data: { rentalId } } as const;

  it('are looked after ten minutes after they were reserved', () => {
    const dueAt = '2026-11-22T10:10:00.000Z';
    const timer = { kind: 'schedule', timer: 'submission', dueAt, command: reclaim } as const;
    life.given().when(reserved).then(timer);
  });

  it.each([completed(), failed, cancelled, timedOut('run')])(
    'are freed at its end: $type',
    (event) => {
      const cancel = { kind: 'cancel', timer: 'submission' } as const;
      life.given(reserved).when(event).then(cancel, { kind: 'command', command: end });
      life.given(reserved).when(event).thenEnds();
    },
  );

  it('are not concerned with jobs of another type', () => {
    life.given().when(completed('batch')).thenNothing();
  });
});

describe('the owner of a rental', () => {
  const [outOfFunds, ended] = rentalNotifications;

  it('is notified when funds stop it, with the time that is left to add some', () => {
    expect(outOfFunds?.account(paused)).toBe('7');
    expect(outOfFunds?.body(paused)).toEqual({
      rental_id: rentalId,
      stopped_at: AT,
      resumes_until: '2026-11-22T11:00:00.000Z',
    });
  });

  it.each([
    [completed(), { reason: 'program_ended' }],
    [failed, { reason: 'failed', code: 'rental_not_started' }],
    [cancelled, { reason: 'stopped' }],
    [timedOut('run'), { reason: 'out_of_time' }],
    [timedOut('funds'), { reason: 'out_of_funds' }],
  ])('is notified of its end: $type', (event, body) => {
    expect(ended?.body(event)).toEqual({ rental_id: rentalId, ...body, ended_at: AT });
  });

  it('is not notified here of jobs of another type', () => {
    expect(ended?.account(completed('batch'))).toBeNull();
  });
});
