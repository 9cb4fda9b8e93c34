import {
  JobAttemptEnded,
  type JobBlob,
  JobCancellationRequested,
  JobCancelled,
  JobCompleted,
  JobDispatched,
  type JobEvent,
  JobFailed,
  JobForgotten,
  JobPaused,
  JobProgressed,
  JobRenewed,
  JobResumed,
  JobSettled,
  JobStarted,
  JobSubmitted,
  JobTimedOut,
  type JobUsage,
} from '#events/jobs/job.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export const SHOWN_STATUSES = [
  /** It names jobs that must be completed first, and has not been dispatched. */
  'waiting',
  'queued',
  'dispatched',
  'running',
  'paused',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

type PublicJson = Readonly<Record<string, unknown>>;

/** A job as its owner sees it; money as decimal micro-dollars, instants as ISO 8601. */
export interface JobRecord {
  readonly jobId: string;
  readonly accountId: string;
  readonly type: string;
  readonly status: ShownStatus;
  /** The summary of the input in the order. */
  readonly summary: PublicJson;
  readonly after: readonly string[];
  readonly parent: string | null;
  readonly retryOf: string | null;
  /** The last attempt that was dispatched, 0 for none. */
  readonly attempt: number;
  readonly attemptsMax: number;
  readonly host: string | null;
  readonly progress: {
    readonly done: number;
    readonly total: number | null;
    readonly shown: PublicJson;
    readonly progressedAt: string;
  } | null;
  readonly usage: readonly JobUsage[];
  /** Of a completed job. */
  readonly result: { readonly blob: JobBlob; readonly summary: PublicJson } | null;
  /** Why it failed, or why the last attempt ended. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The limit that has run out, of a job that timed out. */
  readonly limit: 'queue' | 'run' | 'funds' | null;
  /** Null for a job that costs nothing, and until the hold of an ended one is closed. */
  readonly charge: {
    readonly outcome: 'charged' | 'free' | 'uncollected';
    readonly amount: string;
  } | null;
  readonly submittedAt: string;
  readonly startBefore: string;
  /** Of the first attempt. */
  readonly startedAt: string | null;
  /** Of the attempt that runs. */
  readonly runUntil: string | null;
  readonly pausedUntil: string | null;
  readonly endedAt: string | null;
  /** The result can no longer be read. */
  readonly forgottenAt: string | null;
}

export const jobsPrefix = (accountId: string): string => `${accountId}/`;

/** The keys of an account order by the instant of submission. */
export const jobKey = ({
  accountId,
  submittedAt,
  jobId,
}: {
  readonly accountId: string;
  readonly submittedAt: string;
  readonly jobId: string;
}): string => `${accountId}/${submittedAt}/${jobId}`;

const ABSENT: JobRecord = {
  jobId: '',
  accountId: '',
  type: '',
  status: 'queued',
  summary: {},
  after: [],
  parent: null,
  retryOf: null,
  attempt: 0,
  attemptsMax: 1,
  host: null,
  progress: null,
  usage: [],
  result: null,
  error: null,
  limit: null,
  charge: null,
  submittedAt: '',
  startBefore: '',
  startedAt: null,
  runUntil: null,
  pausedUntil: null,
  endedAt: null,
  forgottenAt: null,
};

const submitted = (data: JobSubmitted['data']): JobRecord => {
  const { jobId, accountId, type, submittedAt, startBefore } = data;
  const { summary, after, parent, retryOf, attemptsMax } = data;
  const terms = { jobId, accountId, type, submittedAt, startBefore };
  const order = { summary, after, parent, retryOf, attemptsMax };
  return { ...ABSENT, ...terms, ...order, status: after.length > 0 ? 'waiting' : 'queued' };
};

const ended = (
  job: JobRecord,
  status: ShownStatus,
  endedAt: string,
  usage: readonly JobUsage[],
): JobRecord => ({ ...job, status, endedAt, usage, runUntil: null, pausedUntil: null });

const project = ({ type, data }: JobEvent, job: JobRecord): JobRecord => {
  switch (type) {
    case 'JobSubmitted':
      return submitted(data);
    case 'JobDispatched':
      return { ...job, status: 'dispatched', attempt: data.attempt, host: data.host };
    case 'JobStarted': {
      const { runUntil } = data;
      return { ...job, status: 'running', startedAt: job.startedAt ?? data.startedAt, runUntil };
    }
    case 'JobProgressed': {
      const { done, total, progress: shown, progressedAt, usage } = data;
      return { ...job, progress: { done, total, shown, progressedAt }, usage };
    }
    case 'JobAttemptEnded': {
      const { code, message, startBefore } = data;
      return { ...job, status: 'queued', error: { code, message }, startBefore, runUntil: null };
    }
    case 'JobRenewed':
      return job;
    case 'JobPaused':
      return { ...job, status: 'paused', pausedUntil: data.until };
    case 'JobResumed':
      return { ...job, status: 'queued', pausedUntil: null, startBefore: data.startBefore };
    case 'JobCancellationRequested':
      return { ...job, status: 'cancelling' };
    case 'JobCompleted': {
      const { result: blob, summary, usage, completedAt } = data;
      const completed = ended(job, 'completed', completedAt, usage);
      return { ...completed, result: { blob, summary }, error: null };
    }
    case 'JobFailed': {
      const { code, message, failedAt, usage } = data;
      return { ...ended(job, 'failed', failedAt, usage), error: { code, message } };
    }
    case 'JobCancelled':
      return ended(job, 'cancelled', data.cancelledAt, data.usage);
    case 'JobTimedOut':
      return { ...ended(job, 'timed_out', data.timedOutAt, data.usage), limit: data.limit };
    case 'JobSettled': {
      const { outcome, amountMicroUsd: amount } = data;
      return { ...job, charge: { outcome, amount } };
    }
    case 'JobForgotten':
      return { ...job, forgottenAt: data.forgottenAt };
  }
};

/** How is each job of an account doing? */
export const jobs: Projection<JobEvent, JobRecord> = {
  name: 'jobs',
  version: 1,
  on: {
    JobSubmitted,
    JobDispatched,
    JobStarted,
    JobProgressed,
    JobAttemptEnded,
    JobRenewed,
    JobPaused,
    JobResumed,
    JobCancellationRequested,
    JobCompleted,
    JobFailed,
    JobCancelled,
    JobTimedOut,
    JobSettled,
    JobForgotten,
  },
  keys: ({ data }) => [jobKey(data)],
  initial: () => ABSENT,
  project,
};
