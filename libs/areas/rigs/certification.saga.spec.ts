import { describe, it } from '@jest/globals';
import { JobCompleted, JobId } from '#events/jobs/job.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { certificationSaga } from './certification.saga.js';

const jobId = JobId.parse('01890a5d-ac96-474b-8cce-b302099a8057');
const completed = (type: string) =>
  JobCompleted.of({
    jobId,
    accountId: 'operator',
    type,
    submittedAt: '2026-11-22T06:00:00.000Z',
    attempt: 1,
    result: { address: 'a'.repeat(64), bytes: 10 },
    summary: {},
    usage: [],
    completedAt: '2026-11-22T06:00:00.000Z',
  });

const certification = sagaSpecOf(certificationSaga);

describe('a measured rig', () => {
  it('is certified', () => {
    const command = { type: 'CertifyMeasuredRig', data: { jobId } } as const;
    certification.given().when(completed('rig-certification')).then({ kind: 'command', command });
    certification.given().when(completed('rig-certification')).thenEnds();
  });

  it('is not what a job of another type has measured', () => {
    certification.given().when(completed('batch')).thenNothing();
  });
});
