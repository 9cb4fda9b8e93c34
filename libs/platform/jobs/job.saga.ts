import {
  JobAttemptEnded,
  JobCancellationRequested,
  JobCancelled,
  JobCompleted,
  JobDispatched,
  type JobEvent,
  type JobId,
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
} from '#events/jobs/job.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';
import { instantOf, timeOf } from './job.state.js';

interface OfJob {
  readonly jobId: JobId;
}

/** The role of a blob in a job. One blob may have several. */
export type BlobRole = 'input' | 'checkpoint' | 'result';

/** A blob that an event of the job names. */
export interface NamedBlob extends OfJob {
  readonly accountId: string;
  readonly role: BlobRole;
  readonly address: string;
}

export type JobSagaCommand =
  | {
      readonly type: 'TimeOutJob';
      readonly data: OfJob & { readonly limit: 'queue' | 'run' | 'funds' };
    }
  /** Ends an attempt whose host did not start it. */
  | {
      readonly type: 'MissJobStart';
      readonly data: OfJob & {
        readonly attempt: number;
        readonly host: string;
        readonly startBy: string;
      };
    }
  | { readonly type: 'FinishJobCancellation'; readonly data: OfJob }
  | { readonly type: 'RenewJobHold'; readonly data: OfJob }
  /** Resumes a paused job if its account can pay now. */
  | { readonly type: 'RetryJobFunds'; readonly data: OfJob }
  /** Charges or frees the hold of an ended job. */
  | { readonly type: 'ChargeJob'; readonly data: OfJob }
  | { readonly type: 'KeepJobBlob'; readonly data: NamedBlob }
  | { readonly type: 'ReleaseJobBlob'; readonly data: NamedBlob }
  /** Releases the blobs of a job that ended long ago. */
  | { readonly type: 'ForgetJob'; readonly data: OfJob };

type Action = SagaAction<JobSagaCommand>;

export interface JobProcess {
  /** The checkpoint whose blob is kept. */
  readonly checkpoint: string | null;
  readonly hasHold: boolean;
  /** How many timers look for funds while the job is paused. */
  readonly fundsTimers: number;
}

/** A hold is renewed this long before its deadline: two renewals may fail. */
export const RENEWED_BEFORE_MS = 10 * 60_000;
/** How often a paused job looks for funds. */
export const FUNDS_EVERY_MS = 60_000;
/** A longer pause looks less often. */
export const FUNDS_TIMERS_MAX = 60;
/** The blobs of an ended job are kept for this time. */
export const KEPT_MS = 30 * 24 * 60 * 60_000;

const initialState: JobProcess = { checkpoint: null, hasHold: false, fundsTimers: 0 };

const send = (command: JobSagaCommand): Action => ({ kind: 'command', command });
const schedule = (timer: string, dueAt: string, command: JobSagaCommand): Action => ({
  kind: 'schedule',
  timer,
  dueAt,
  command,
});
const cancel = (...timers: readonly string[]): readonly Action[] =>
  timers.map((timer) => ({ kind: 'cancel', timer }));

const fundsTimer = (index: number): string => `funds-${index + 1}`;
const fundsTimers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => fundsTimer(index));

const timeOut = (
  { jobId }: OfJob,
  limit: 'queue' | 'run' | 'funds',
  dueAt: string,
): readonly Action[] => [schedule(limit, dueAt, { type: 'TimeOutJob', data: { jobId, limit } })];

const renewal = ({ jobId }: OfJob, expiresAt: string): Action =>
  schedule('renewal', instantOf(timeOf(expiresAt) - RENEWED_BEFORE_MS), {
    type: 'RenewJobHold',
    data: { jobId },
  });

/** The instants at which a paused job looks for funds, each before the end of the pause. */
const fundsInstants = ({ pausedAt, until }: JobPaused['data']): readonly string[] => {
  const pauseMs = timeOf(until) - timeOf(pausedAt);
  const everyMs = Math.max(FUNDS_EVERY_MS, Math.ceil(pauseMs / FUNDS_TIMERS_MAX));
  const count = Math.max(0, Math.ceil(pauseMs / everyMs) - 1);
  return Array.from({ length: count }, (_, index) =>
    instantOf(timeOf(pausedAt) + (index + 1) * everyMs),
  );
};

interface OfAccount extends OfJob {
  readonly accountId: string;
}

const keep = ({ jobId, accountId }: OfAccount, role: BlobRole, address: string): Action =>
  send({ type: 'KeepJobBlob', data: { jobId, accountId, role, address } });

const release = ({ jobId, accountId }: OfAccount, role: BlobRole, address: string): Action =>
  send({ type: 'ReleaseJobBlob', data: { jobId, accountId, role, address } });

/** Keeps a checkpoint, then releases the one before it. */
const moved = (data: OfAccount, to: string | null, from: string | null): readonly Action[] => {
  if (to === from) return [];
  return [
    ...(to === null ? [] : [keep(data, 'checkpoint', to)]),
    ...(from === null ? [] : [release(data, 'checkpoint', from)]),
  ];
};

const submitted = (data: JobSubmitted['data']): readonly Action[] => [
  keep(data, 'input', data.input.address),
  ...timeOut(data, 'queue', data.startBefore),
  ...(data.hold ? [renewal(data, data.hold.expiresAt)] : []),
];

const paused = (data: JobPaused['data']): readonly Action[] => {
  const { jobId } = data;
  const command = { type: 'RetryJobFunds', data: { jobId } } as const;
  return [
    ...cancel('queue'),
    ...fundsInstants(data).map((dueAt, index) => schedule(fundsTimer(index), dueAt, command)),
    ...timeOut(data, 'funds', data.until),
  ];
};

const ended = (
  data: OfJob,
  endedAt: string,
  { hasHold, fundsTimers: count }: JobProcess,
): readonly Action[] => {
  const { jobId } = data;
  const forgetAt = instantOf(timeOf(endedAt) + KEPT_MS);
  return [
    ...cancel('queue', 'start', 'run', 'stop', 'renewal', 'funds', ...fundsTimers(count)),
    ...(hasHold ? [send({ type: 'ChargeJob', data: { jobId } })] : []),
    schedule('forget', forgetAt, { type: 'ForgetJob', data: { jobId } }),
  ];
};

const react = ({ type, data }: JobEvent, state: JobProcess): readonly Action[] => {
  const { jobId } = data;
  switch (type) {
    case 'JobSubmitted':
      return submitted(data);
    case 'JobDispatched': {
      const { attempt, host, startBy } = data;
      return [
        schedule('start', startBy, {
          type: 'MissJobStart',
          data: { jobId, attempt, host, startBy },
        }),
      ];
    }
    case 'JobStarted':
      return [...cancel('start', 'queue'), ...timeOut(data, 'run', data.runUntil)];
    case 'JobProgressed':
      return moved(data, data.checkpoint?.address ?? null, state.checkpoint);
    case 'JobAttemptEnded':
      return [...cancel('start', 'run'), ...timeOut(data, 'queue', data.startBefore)];
    case 'JobRenewed':
      return [renewal(data, data.expiresAt)];
    case 'JobPaused':
      return paused(data);
    case 'JobResumed':
      return [
        ...cancel('funds', ...fundsTimers(state.fundsTimers)),
        ...timeOut(data, 'queue', data.startBefore),
      ];
    case 'JobCancellationRequested':
      return [schedule('stop', data.stopBy, { type: 'FinishJobCancellation', data: { jobId } })];
    case 'JobCompleted':
      return [
        keep(data, 'result', data.result.address),
        ...moved(data, null, state.checkpoint),
        ...ended(data, data.completedAt, state),
      ];
    case 'JobFailed':
      return ended(data, data.failedAt, state);
    case 'JobCancelled':
      return ended(data, data.cancelledAt, state);
    case 'JobTimedOut':
      return ended(data, data.timedOutAt, state);
    case 'JobSettled':
    case 'JobForgotten':
      return [];
  }
};

const evolve = (state: JobProcess, { type, data }: JobEvent): JobProcess | null => {
  switch (type) {
    case 'JobSubmitted':
      return { ...initialState, hasHold: data.hold !== null };
    case 'JobProgressed':
      return { ...state, checkpoint: data.checkpoint?.address ?? null };
    case 'JobPaused':
      return { ...state, fundsTimers: fundsInstants(data).length };
    case 'JobResumed':
      return { ...state, fundsTimers: 0 };
    case 'JobForgotten':
      return null;
    case 'JobDispatched':
    case 'JobStarted':
    case 'JobAttemptEnded':
    case 'JobRenewed':
    case 'JobCancellationRequested':
    case 'JobCompleted':
    case 'JobFailed':
    case 'JobCancelled':
    case 'JobTimedOut':
    case 'JobSettled':
      return state;
  }
};

/** The time-outs of a job, the renewals of its hold, its charge, and the blobs that it keeps. */
export const jobSaga: Saga<JobEvent, JobProcess, JobSagaCommand> = {
  name: 'jobs',
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
  key: ({ data }) => data.jobId,
  initialState,
  evolve,
  react,
};
