import { z } from 'zod';
import {
  JobCancelled,
  JobCompleted,
  type JobEvent,
  JobFailed,
  JobPaused,
  JobTimedOut,
} from '#events/jobs/job.events.js';
import { RENTAL_JOB } from '#events/rentals/rental.job.js';
import { type AnyNotification, defineNotification } from '#platform/runtime/areas/notification.js';

const accountOfRental = ({ data: { type, accountId } }: JobEvent): string | null =>
  type === RENTAL_JOB ? accountId : null;

const at = z.iso.datetime();

const EndBody = z.strictObject({
  rental_id: z.string(),
  reason: z.enum(['program_ended', 'failed', 'stopped', 'out_of_funds', 'out_of_time']),
  code: z.string().optional().describe('The code of the failure.'),
  ended_at: at,
});

type Ended = JobCompleted | JobFailed | JobCancelled | JobTimedOut;

const bodyOfEnd = ({ type, data }: Ended): object => {
  const { jobId: rental_id } = data;
  switch (type) {
    case 'JobCompleted':
      return { rental_id, reason: 'program_ended', ended_at: data.completedAt };
    case 'JobFailed':
      return { rental_id, reason: 'failed', code: data.code, ended_at: data.failedAt };
    case 'JobCancelled':
      return { rental_id, reason: 'stopped', ended_at: data.cancelledAt };
    case 'JobTimedOut': {
      const reason = data.limit === 'funds' ? 'out_of_funds' : 'out_of_time';
      return { rental_id, reason, ended_at: data.timedOutAt };
    }
  }
};

/** Of a rental that is out of funds, while they can still be added, and of the end of each. */
export const rentalNotifications: readonly AnyNotification[] = [
  defineNotification<JobPaused>({
    type: 'rental.out_of_funds',
    description: 'A rental stopped for lack of funds, and resumes when they are added.',
    schema: z.strictObject({ rental_id: z.string(), stopped_at: at, resumes_until: at }),
    on: { JobPaused },
    account: accountOfRental,
    body: ({ data: { jobId, pausedAt, until } }) => ({
      rental_id: jobId,
      stopped_at: pausedAt,
      resumes_until: until,
    }),
  }),
  defineNotification<Ended>({
    type: 'rental.ended',
    description: 'A rental ended.',
    schema: EndBody,
    on: { JobCompleted, JobFailed, JobCancelled, JobTimedOut },
    account: accountOfRental,
    body: bodyOfEnd,
  }),
];
