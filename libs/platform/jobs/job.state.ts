import {
  type JobBlob,
  type JobEvent,
  type JobHold,
  type JobStarted,
  type JobSubmitted,
  type JobUsage,
} from '#events/jobs/job.events.js';
import { raised } from './job.usage.js';

export type OpenStatus = 'queued' | 'dispatched' | 'running' | 'cancelling' | 'paused';
export type EndedStatus = 'completed' | 'failed' | 'cancelled' | 'timed_out';

/** The state of a submitted job. */
export interface SubmittedJob {
  readonly status: OpenStatus | EndedStatus;
  readonly order: JobSubmitted['data'];
  /** As renewals left it; null for a job that costs nothing. */
  readonly hold: JobHold | null;
  /** The fencing token: the last attempt that was dispatched, 0 for none. */
  readonly attempt: number;
  /** Who has or had that attempt. */
  readonly host: string | null;
  /** Attempts that count: they failed, were lost or had no effect. */
  readonly failures: number;
  /** Of the last progress of this attempt. */
  readonly sequence: number;
  readonly startBefore: string;
  readonly startBy: string | null;
  readonly startedAt: string | null;
  readonly runUntil: string | null;
  /** The total time that earlier attempts ran. */
  readonly ranMs: number;
  readonly retryAt: string | null;
  readonly pausedUntil: string | null;
  readonly stopBy: string | null;
  readonly checkpoint: JobBlob | null;
  readonly usage: readonly JobUsage[];
  /** The public summary of the last progress. */
  readonly progress: Readonly<Record<string, unknown>> | null;
  readonly result: JobBlob | null;
  /** The public summary of a completed job's result. */
  readonly resultSummary: Readonly<Record<string, unknown>> | null;
  readonly endedAt: string | null;
  readonly isSettled: boolean;
  readonly isForgotten: boolean;
}

export type JobState = { readonly status: 'absent' } | SubmittedJob;

export const initialState: JobState = { status: 'absent' };

const ENDED: readonly string[] = ['completed', 'failed', 'cancelled', 'timed_out'];

export type EndedJobState = SubmittedJob & { readonly status: EndedStatus };

export const isEnded = (job: SubmittedJob): job is EndedJobState => ENDED.includes(job.status);

const ATTEMPTED: readonly string[] = ['dispatched', 'running', 'cancelling'];

/** Whether a host has an attempt of it. */
export const isAttempted = ({ status }: SubmittedJob): boolean => ATTEMPTED.includes(status);

export const timeOf = (instant: string): number => Date.parse(instant);
export const instantOf = (ms: number): string => new Date(ms).toISOString();

/** A job may wait for each attempt as long as it may wait for the first. */
export const startBeforeAfter = ({ order }: SubmittedJob, at: string): string =>
  instantOf(timeOf(at) + timeOf(order.startBefore) - timeOf(order.submittedAt));

const submitted = (order: JobSubmitted['data']): SubmittedJob => ({
  status: 'queued',
  order,
  hold: order.hold,
  attempt: 0,
  host: null,
  failures: 0,
  sequence: 0,
  startBefore: order.startBefore,
  startBy: null,
  startedAt: null,
  runUntil: null,
  ranMs: 0,
  retryAt: null,
  pausedUntil: null,
  stopBy: null,
  checkpoint: null,
  usage: [],
  progress: null,
  result: null,
  resultSummary: null,
  endedAt: null,
  isSettled: false,
  isForgotten: false,
});

const started = (job: SubmittedJob, { startedAt, runUntil }: JobStarted['data']): SubmittedJob => ({
  ...job,
  status: 'running',
  startedAt,
  runUntil,
});

/** Whether an attempt that ended for this reason is one of the `attemptsMax` of its job. */
export const isCounted = (reason: string): boolean => reason !== 'drained' && reason !== 'paused';

const attemptEnded = (
  job: SubmittedJob,
  { reason, endedAt, retryAt, startBefore }: (JobEvent & { type: 'JobAttemptEnded' })['data'],
): SubmittedJob => ({
  ...job,
  status: 'queued',
  failures: job.failures + (isCounted(reason) ? 1 : 0),
  ranMs: job.ranMs + (job.startedAt === null ? 0 : timeOf(endedAt) - timeOf(job.startedAt)),
  startBy: null,
  startedAt: null,
  runUntil: null,
  retryAt,
  startBefore,
});

const ended = (
  job: SubmittedJob,
  status: EndedStatus,
  endedAt: string,
  {
    usage,
    checkpoint,
  }: { readonly usage: readonly JobUsage[]; readonly checkpoint: JobBlob | null },
): SubmittedJob => ({ ...job, status, endedAt, usage, checkpoint });

const next = (job: SubmittedJob, { type, data }: JobEvent): SubmittedJob => {
  switch (type) {
    case 'JobSubmitted':
      return job;
    case 'JobDispatched': {
      const { attempt, host, startBy } = data;
      return { ...job, status: 'dispatched', attempt, host, startBy, sequence: 0 };
    }
    case 'JobStarted':
      return started(job, data);
    case 'JobProgressed': {
      const { sequence, progress, checkpoint, usage } = data;
      return { ...job, sequence, progress, checkpoint, usage: raised(job.usage, usage) };
    }
    case 'JobAttemptEnded':
      return attemptEnded(job, data);
    case 'JobRenewed': {
      const { lines, expiresAt } = data;
      return { ...job, hold: job.hold && { ...job.hold, lines, expiresAt } };
    }
    case 'JobPaused':
      return { ...job, status: 'paused', pausedUntil: data.until };
    case 'JobResumed': {
      const { startBefore } = data;
      return { ...job, status: 'queued', pausedUntil: null, retryAt: null, startBefore };
    }
    case 'JobCancellationRequested':
      return { ...job, status: 'cancelling', stopBy: data.stopBy };
    case 'JobCompleted': {
      const { completedAt, usage, result, summary } = data;
      const made = { usage, result, resultSummary: summary };
      return { ...job, ...made, status: 'completed', endedAt: completedAt };
    }
    case 'JobFailed':
      return ended(job, 'failed', data.failedAt, data);
    case 'JobCancelled':
      return ended(job, 'cancelled', data.cancelledAt, data);
    case 'JobTimedOut':
      return ended(job, 'timed_out', data.timedOutAt, data);
    case 'JobSettled':
      return { ...job, isSettled: true };
    case 'JobForgotten':
      return { ...job, isForgotten: true };
  }
};

export const evolve = (state: JobState, event: JobEvent): JobState => {
  if (state.status !== 'absent') return next(state, event);
  return event.type === 'JobSubmitted' ? submitted(event.data) : state;
};
