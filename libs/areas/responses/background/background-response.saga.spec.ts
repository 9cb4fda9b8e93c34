import { describe, it } from '@jest/globals';
import {
  JobCancelled,
  JobCompleted,
  JobFailed,
  JobId,
  JobSettled,
  JobTimedOut,
} from '#events/jobs/job.events.js';
import { RESPONSE_JOB } from '#events/responses/response.job.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { backgroundResponseSaga, type JobEnd } from './background-response.saga.js';

const AT = '2026-03-01T09:00:00.000Z';
const accountId = '7';
const jobId = JobId.parse('5b1c3c1e-0f0d-5a7c-9a4e-2b6d8f901234');
const jobOf = (type: string) => ({ jobId, accountId, type, submittedAt: AT });
const response = jobOf(RESPONSE_JOB);
const settled = (type: string) =>
  JobSettled.of({ ...jobOf(type), outcome: 'charged', amountMicroUsd: '13', settledAt: AT });
const usage = { usage: [], checkpoint: null };
const completed = (type: string) =>
  JobCompleted.of({
    ...jobOf(type),
    usage: [],
    completedAt: AT,
    attempt: 1,
    summary: { status: 'completed' },
    result: { address: 'ab'.repeat(32), bytes: 2 },
  });

const saga = sagaSpecOf(backgroundResponseSaga);
const endWith = (end: JobEnd) =>
  ({
    kind: 'command',
    command: { type: 'EndResponse', data: { jobId, accountId, ...end } },
  }) as const;

describe('the end of a response in the background', () => {
  it.each([
    [completed(RESPONSE_JOB), { outcome: 'completed', error: null }],
    [
      JobFailed.of({
        ...response,
        ...usage,
        code: 'rigs_unavailable',
        message: 'no',
        failedAt: AT,
      }),
      { outcome: 'failed', error: { code: 'rigs_unavailable', message: 'no' } },
    ],
    [
      JobCancelled.of({ ...response, ...usage, cancelledAt: AT }),
      { outcome: 'cancelled', error: null },
    ],
    [
      JobTimedOut.of({ ...response, ...usage, limit: 'run', timedOutAt: AT }),
      {
        outcome: 'timed_out',
        error: { code: 'timed_out', message: 'the response took too long' },
      },
    ],
  ] as const)('comes when its job is settled: %#', (event, end) => {
    saga.given().when(event).thenNothing();
    saga.given(event).when(settled(RESPONSE_JOB)).then(endWith(end));
    saga.given(event).when(settled(RESPONSE_JOB)).thenEnds();
  });

  it('ignores jobs of other types, and a job that is settled already', () => {
    saga.given(completed('batch')).when(settled('batch')).thenNothing();
    saga.given().when(completed('batch')).thenEnds();
    saga.given().when(settled(RESPONSE_JOB)).thenNothing();
  });
});
