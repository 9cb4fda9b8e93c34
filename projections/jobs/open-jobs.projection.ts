import {
  JobAttemptEnded,
  type JobBlob,
  JobCancellationRequested,
  JobCancelled,
  JobCompleted,
  JobDispatched,
  JobFailed,
  JobPaused,
  JobProgressed,
  JobResumed,
  JobStarted,
  JobSubmitted,
  JobTimedOut,
  type JobUsage,
} from '#events/jobs/job.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A job that has not ended, as the dispatcher needs it. */
export interface OpenJob {
  readonly jobId: string;
  readonly accountId: string;
  readonly type: string;
  readonly submittedAt: string;
  readonly status: 'queued' | 'dispatched' | 'running' | 'paused' | 'cancelling';
  readonly input: JobBlob;
  readonly after: readonly string[];
  readonly parent: string | null;
  /** The last attempt that was dispatched, 0 for none. */
  readonly attempt: number;
  /** Who has that attempt; null when it has ended. */
  readonly host: string | null;
  /** The next attempt is not dispatched before; null for at once. */
  readonly retryAt: string | null;
  readonly checkpoint: JobBlob | null;
  readonly usage: readonly JobUsage[];
}

type OpenJobEvent =
  | JobSubmitted
  | JobDispatched
  | JobStarted
  | JobProgressed
  | JobAttemptEnded
  | JobPaused
  | JobResumed
  | JobCancellationRequested
  | JobCompleted
  | JobFailed
  | JobCancelled
  | JobTimedOut;

/** An account's open jobs of one type are together: they are counted at each submission. */
export const openJobsPrefix = (accountId: string, type: string): string => `${accountId}/${type}/`;

const ABSENT: OpenJob = {
  jobId: '',
  accountId: '',
  type: '',
  submittedAt: '',
  status: 'queued',
  input: { address: '', bytes: 0 },
  after: [],
  parent: null,
  attempt: 0,
  host: null,
  retryAt: null,
  checkpoint: null,
  usage: [],
};

const project = ({ type, data }: OpenJobEvent, job: OpenJob): OpenJob | null => {
  switch (type) {
    case 'JobSubmitted': {
      const { jobId, accountId, type: jobType, submittedAt, input, after, parent } = data;
      return { ...ABSENT, jobId, accountId, type: jobType, submittedAt, input, after, parent };
    }
    case 'JobDispatched':
      return { ...job, status: 'dispatched', attempt: data.attempt, host: data.host };
    case 'JobStarted':
      return { ...job, status: 'running' };
    case 'JobProgressed':
      return { ...job, checkpoint: data.checkpoint, usage: data.usage };
    case 'JobAttemptEnded':
      return { ...job, status: 'queued', host: null, retryAt: data.retryAt };
    case 'JobPaused':
      return { ...job, status: 'paused', host: null };
    case 'JobResumed':
      return { ...job, status: 'queued', retryAt: null };
    case 'JobCancellationRequested':
      return { ...job, status: 'cancelling' };
    case 'JobCompleted':
    case 'JobFailed':
    case 'JobCancelled':
    case 'JobTimedOut':
      return null;
  }
};

/** Which jobs have not ended, and what does the next attempt of each need? */
export const openJobs: Projection<OpenJobEvent, OpenJob> = {
  name: 'open-jobs',
  version: 1,
  on: {
    JobSubmitted,
    JobDispatched,
    JobStarted,
    JobProgressed,
    JobAttemptEnded,
    JobPaused,
    JobResumed,
    JobCancellationRequested,
    JobCompleted,
    JobFailed,
    JobCancelled,
    JobTimedOut,
  },
  keys: ({ data }) => [`${openJobsPrefix(data.accountId, data.type)}${data.jobId}`],
  initial: () => ABSENT,
  project,
};
