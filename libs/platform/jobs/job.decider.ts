import {
  JobAttemptEnded,
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
} from '#events/jobs/job.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import {
  evolve,
  initialState,
  instantOf,
  isAttempted,
  isCounted,
  isEnded,
  type JobState,
  startBeforeAfter,
  type SubmittedJob,
  timeOf,
} from './job.state.js';
import { raised } from './job.usage.js';

/** The facts of an event that the sender of a command states; the stream knows the rest. */
type Facts<Event extends { readonly data: object }, Computed extends string = never> = Omit<
  Event['data'],
  'accountId' | 'type' | 'submittedAt' | Computed
>;

interface OfJob {
  readonly jobId: JobSubmitted['data']['jobId'];
}

/**
 * An attempt and the host that has it: the fencing token. A report that names another attempt or
 * another host, or that comes after the end, leads to nothing.
 */
interface OfAttempt extends OfJob {
  readonly attempt: number;
  readonly host: string;
}

export type JobCommand =
  | { readonly type: 'SubmitJob'; readonly data: JobSubmitted['data'] }
  | { readonly type: 'DispatchJob'; readonly data: Facts<JobDispatched> }
  | { readonly type: 'StartAttempt'; readonly data: OfAttempt & { readonly startedAt: string } }
  | { readonly type: 'ReportProgress'; readonly data: OfAttempt & Facts<JobProgressed> }
  | {
      readonly type: 'EndAttempt';
      readonly data: OfAttempt &
        Facts<JobAttemptEnded, 'startBefore'> & {
          /** No further attempt can succeed. */
          readonly isFinal: boolean;
        };
    }
  | { readonly type: 'CompleteJob'; readonly data: OfAttempt & Facts<JobCompleted> }
  | { readonly type: 'CancelJob'; readonly data: Facts<JobCancellationRequested> }
  | { readonly type: 'FinishCancellation'; readonly data: OfJob & { readonly at: string } }
  | {
      readonly type: 'TimeOutJob';
      readonly data: OfJob & {
        readonly limit: JobTimedOut['data']['limit'];
        readonly at: string;
      };
    }
  /** Fails a job that does not run, such as one whose dependency failed. */
  | {
      readonly type: 'FailJob';
      readonly data: OfJob & {
        readonly code: string;
        readonly message: string;
        readonly at: string;
      };
    }
  | { readonly type: 'RenewJob'; readonly data: Facts<JobRenewed> }
  | { readonly type: 'PauseJob'; readonly data: Facts<JobPaused> }
  | { readonly type: 'ResumeJob'; readonly data: Facts<JobResumed, 'startBefore'> }
  | { readonly type: 'SettleJob'; readonly data: Facts<JobSettled> }
  | { readonly type: 'ForgetJob'; readonly data: Facts<JobForgotten> };

type DataOf<Type extends JobCommand['type']> = Extract<JobCommand, { readonly type: Type }>['data'];

export type JobErrorCode = 'job_not_found' | 'job_conflict' | 'job_not_ended';

const reject = (code: JobErrorCode, detail: string): never => {
  throw new DomainError<JobErrorCode>(code, detail);
};

/** The facts of a job in each of its events. */
const ofJob = ({ order: { jobId, accountId, type, submittedAt } }: SubmittedJob) => ({
  jobId,
  accountId,
  type,
  submittedAt,
});

/** The remains of a job that did not complete. */
const leftBy = (job: SubmittedJob) => ({
  ...ofJob(job),
  checkpoint: job.checkpoint,
  usage: [...job.usage],
});

const isRunning = ({ status }: SubmittedJob): boolean =>
  status === 'running' || status === 'cancelling';

const holds = (job: SubmittedJob, { attempt, host }: OfAttempt): boolean =>
  job.attempt === attempt && job.host === host;

const runs = (job: SubmittedJob, reported: OfAttempt): boolean =>
  isRunning(job) && holds(job, reported);

const submit = (order: JobSubmitted['data'], state: JobState): readonly JobEvent[] => {
  if (state.status === 'absent') return [JobSubmitted.of(order)];
  const { accountId, type, input, parent } = state.order;
  const isSame =
    order.accountId === accountId &&
    order.type === type &&
    order.input.address === input.address &&
    order.parent === parent;
  return isSame ? [] : reject('job_conflict', `another order has the job ${order.jobId}`);
};

const dispatch = (data: DataOf<'DispatchJob'>, job: SubmittedJob): readonly JobEvent[] => {
  const isDue = job.retryAt === null || data.dispatchedAt >= job.retryAt;
  const isNext = job.status === 'queued' && data.attempt === job.attempt + 1;
  return isNext && isDue ? [JobDispatched.of({ ...ofJob(job), ...data })] : [];
};

const start = (data: DataOf<'StartAttempt'>, job: SubmittedJob): readonly JobEvent[] => {
  if (job.status !== 'dispatched' || !holds(job, data)) return [];
  const { attempt, startedAt } = data;
  const leftMs = Math.max(0, job.order.runMsMax - job.ranMs);
  const runUntil = instantOf(timeOf(startedAt) + leftMs);
  return [JobStarted.of({ ...ofJob(job), attempt, startedAt, runUntil })];
};

const progress = (data: DataOf<'ReportProgress'>, job: SubmittedJob): readonly JobEvent[] => {
  if (!runs(job, data) || data.sequence <= job.sequence) return [];
  const { host: _, ...facts } = data;
  const usage = [...raised(job.usage, data.usage)];
  return [JobProgressed.of({ ...ofJob(job), ...facts, usage })];
};

const cancelled = (job: SubmittedJob, cancelledAt: string): JobEvent =>
  JobCancelled.of({ ...leftBy(job), cancelledAt });

const endAttempt = (data: DataOf<'EndAttempt'>, job: SubmittedJob): readonly JobEvent[] => {
  const { host: _, isFinal, ...facts } = data;
  const { reason, code, message, endedAt } = facts;
  if (!isAttempted(job) || !holds(job, data)) return [];
  if (reason === 'not_started' && job.status !== 'dispatched') return [];
  if (job.status === 'cancelling') return [cancelled(job, endedAt)];
  const isLast = isCounted(reason) && (isFinal || job.failures + 1 >= job.order.attemptsMax);
  if (isLast) return [JobFailed.of({ ...leftBy(job), code, message, failedAt: endedAt })];
  const startBefore = startBeforeAfter(job, facts.retryAt);
  return [JobAttemptEnded.of({ ...ofJob(job), ...facts, startBefore })];
};

const complete = (data: DataOf<'CompleteJob'>, job: SubmittedJob): readonly JobEvent[] => {
  if (!runs(job, data)) return [];
  const { host: _, ...facts } = data;
  const usage = [...raised(job.usage, data.usage)];
  return [JobCompleted.of({ ...ofJob(job), ...facts, usage })];
};

const cancel = (data: DataOf<'CancelJob'>, job: SubmittedJob): readonly JobEvent[] => {
  switch (job.status) {
    case 'queued':
    case 'dispatched':
    case 'paused':
      return [cancelled(job, data.requestedAt)];
    case 'running':
      return [JobCancellationRequested.of({ ...ofJob(job), ...data })];
    case 'cancelling':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'timed_out':
      return [];
  }
};

const isOver = (job: SubmittedJob, { limit, at }: DataOf<'TimeOutJob'>): boolean => {
  switch (limit) {
    case 'queue':
      return (job.status === 'queued' || job.status === 'dispatched') && at >= job.startBefore;
    case 'run':
      return job.status === 'running' && job.runUntil !== null && at >= job.runUntil;
    case 'funds':
      return job.status === 'paused' && job.pausedUntil !== null && at >= job.pausedUntil;
  }
};

const pause = (data: DataOf<'PauseJob'>, job: SubmittedJob): readonly JobEvent[] => {
  const paused = JobPaused.of({ ...ofJob(job), ...data });
  if (job.status === 'queued') return [paused];
  if (job.status !== 'dispatched' && job.status !== 'running') return [];
  const { attempt } = job;
  const { reason: code, pausedAt } = data;
  const stopped = JobAttemptEnded.of({
    ...ofJob(job),
    attempt,
    reason: 'paused',
    code,
    message: 'the account cannot pay for the next period',
    endedAt: pausedAt,
    retryAt: pausedAt,
    startBefore: startBeforeAfter(job, pausedAt),
  });
  return [stopped, paused];
};

const resume = (data: DataOf<'ResumeJob'>, job: SubmittedJob): readonly JobEvent[] => {
  if (job.status !== 'paused') return [];
  const startBefore = startBeforeAfter(job, data.resumedAt);
  return [JobResumed.of({ ...ofJob(job), ...data, startBefore })];
};

const renew = (data: DataOf<'RenewJob'>, job: SubmittedJob): readonly JobEvent[] => {
  if (isEnded(job) || job.hold === null || data.expiresAt <= job.hold.expiresAt) return [];
  return [JobRenewed.of({ ...ofJob(job), ...data })];
};

const demandEnd = (job: SubmittedJob): void => {
  if (!isEnded(job)) reject('job_not_ended', `the job ${job.order.jobId} has not ended`);
};

/** Commands on a job that was submitted. */
type Change = Exclude<JobCommand, { readonly type: 'SubmitJob' }>;

const change = ({ type, data }: Change, job: SubmittedJob): readonly JobEvent[] => {
  switch (type) {
    case 'DispatchJob':
      return dispatch(data, job);
    case 'StartAttempt':
      return start(data, job);
    case 'ReportProgress':
      return progress(data, job);
    case 'EndAttempt':
      return endAttempt(data, job);
    case 'CompleteJob':
      return complete(data, job);
    case 'CancelJob':
      return cancel(data, job);
    case 'FinishCancellation': {
      const isDue = job.stopBy !== null && data.at >= job.stopBy;
      return job.status === 'cancelling' && isDue ? [cancelled(job, data.at)] : [];
    }
    case 'TimeOutJob': {
      const { limit, at: timedOutAt } = data;
      return isOver(job, data) ? [JobTimedOut.of({ ...leftBy(job), limit, timedOutAt })] : [];
    }
    case 'FailJob': {
      const { code, message, at: failedAt } = data;
      const waits = job.status === 'queued' || job.status === 'paused';
      return waits ? [JobFailed.of({ ...leftBy(job), code, message, failedAt })] : [];
    }
    case 'RenewJob':
      return renew(data, job);
    case 'PauseJob':
      return pause(data, job);
    case 'ResumeJob':
      return resume(data, job);
    case 'SettleJob':
      demandEnd(job);
      return job.isSettled ? [] : [JobSettled.of({ ...ofJob(job), ...data })];
    case 'ForgetJob':
      demandEnd(job);
      return job.isForgotten ? [] : [JobForgotten.of({ ...ofJob(job), ...data })];
  }
};

const decide = (command: JobCommand, state: JobState): readonly JobEvent[] => {
  if (command.type === 'SubmitJob') return submit(command.data, state);
  if (state.status === 'absent') {
    return reject('job_not_found', `there is no job ${command.data.jobId}`);
  }
  return change(command, state);
};

/** One job: it ends once, and only the host of its current attempt can complete or fail it. */
export const jobDecider: Decider<JobCommand, JobState, JobEvent> = {
  initialState,
  decide,
  evolve,
};
