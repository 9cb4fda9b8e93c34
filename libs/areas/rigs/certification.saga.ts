import { JobCompleted } from '#events/jobs/job.events.js';
import { RIG_CERTIFICATION_JOB } from '#events/rigs/rig.job.js';
import { type Saga } from '#platform/kernel/saga.js';

interface CertifyMeasuredRig {
  readonly type: 'CertifyMeasuredRig';
  readonly data: { readonly jobId: string };
}

/** Certifies a rig once the job has measured it. */
export const certificationSaga: Saga<JobCompleted, object, CertifyMeasuredRig> = {
  name: 'rig-certification',
  on: { JobCompleted },
  key: ({ data }) => data.jobId,
  initialState: {},
  evolve: () => null,
  react: ({ data: { type, jobId } }) =>
    type === RIG_CERTIFICATION_JOB
      ? [{ kind: 'command', command: { type: 'CertifyMeasuredRig', data: { jobId } } }]
      : [],
};
