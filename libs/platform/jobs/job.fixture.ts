import {
  JobAttemptEnded,
  type JobBlob,
  JobCancellationRequested,
  JobCancelled,
  JobCompleted,
  JobDispatched,
  JobFailed,
  JobForgotten,
  type JobHold,
  JobId,
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
import { type JobCommand } from './job.decider.js';

/** A job, its events and its commands in the specs of jobs. */
export const JOB = JobId.parse('01890a5d-ac96-774b-bcce-b302099a8057');
export const OTHER_JOB = JobId.parse('01890a5d-ac96-774b-bcce-b302099a8058');
export const HOLD = '01890a5d-ac96-774b-bcce-b302099a8059';
export const HOST = 'loom-1';
export const OTHER_HOST = 'loom-2';

/** The instant `seconds` after the submission. */
export const at = (seconds: number): string =>
  new Date(Date.parse('2026-11-22T05:00:00.000Z') + seconds * 1_000).toISOString();

const ofJob = { jobId: JOB, accountId: '7', type: 'weaving', submittedAt: at(0) };

export const blob = (digit: string): JobBlob => ({ address: digit.repeat(64), bytes: 10 });

export const rows = (quantity: number): JobUsage => ({ meter: 'rows', quantity });

export const hold: JobHold = {
  holdId: HOLD,
  purpose: 'weaving',
  lines: [{ meter: 'rows', quantity: 100, unitPriceMicroUsd: '5', perUnits: 1 }],
  rateCardVersion: 2,
  evidence: { pattern: 'plain' },
  expiresAt: at(900),
  whenUnfinished: 'what_was_used',
  ahead: [],
};

/** An attempt may start within an hour, three may run for two minutes together. */
export const order: JobSubmitted['data'] = {
  ...ofJob,
  input: blob('a'),
  summary: { rows: 100 },
  hold,
  after: [],
  parent: null,
  retryOf: null,
  attemptsMax: 3,
  startBefore: at(3_600),
  runMsMax: 120_000,
};

/** Who reports: the first attempt on its host, unless the spec says otherwise. */
interface Reporter {
  readonly attempt?: number;
  readonly host?: string;
}

/** Facts. */
export const submitted = JobSubmitted.of(order);

export const dispatched = (attempt = 1, seconds = 1, host = HOST): JobDispatched =>
  JobDispatched.of({
    ...ofJob,
    attempt,
    host,
    dispatchedAt: at(seconds),
    startBy: at(seconds + 30),
  });

export const started = (attempt = 1, seconds = 2, runUntil = seconds + 120): JobStarted =>
  JobStarted.of({ ...ofJob, attempt, startedAt: at(seconds), runUntil: at(runUntil) });

export const progressed = (
  sequence: number,
  quantity: number,
  { attempt = 1, checkpoint = blob('c') }: { attempt?: number; checkpoint?: JobBlob | null } = {},
): JobProgressed =>
  JobProgressed.of({
    ...ofJob,
    attempt,
    sequence,
    done: quantity,
    total: 100,
    progress: { colour: 'red' },
    checkpoint,
    usage: [rows(quantity)],
    progressedAt: at(10),
  });

interface Ended extends Reporter {
  readonly seconds?: number;
  readonly retry?: number;
  readonly code?: string;
  readonly message?: string;
}

export const attemptEnded = (
  reason: JobAttemptEnded['data']['reason'],
  { attempt = 1, seconds = 20, retry = 30, code = reason, message = 'a thread tore' }: Ended = {},
): JobAttemptEnded =>
  JobAttemptEnded.of({
    ...ofJob,
    attempt,
    reason,
    code,
    message,
    endedAt: at(seconds),
    retryAt: at(retry),
    startBefore: at(retry + 3_600),
  });

export const renewed = (quantity: number, seconds = 1_200): JobRenewed =>
  JobRenewed.of({
    ...ofJob,
    lines: [{ meter: 'rows', quantity, unitPriceMicroUsd: '5', perUnits: 1 }],
    expiresAt: at(seconds),
    renewedAt: at(seconds - 900),
  });

export const paused = (seconds = 40, until = 640): JobPaused =>
  JobPaused.of({
    ...ofJob,
    reason: 'insufficient_funds',
    pausedAt: at(seconds),
    until: at(until),
  });

export const resumed = (seconds = 100): JobResumed =>
  JobResumed.of({ ...ofJob, resumedAt: at(seconds), startBefore: at(seconds + 3_600) });

export const cancellationRequested = (seconds = 15): JobCancellationRequested =>
  JobCancellationRequested.of({ ...ofJob, requestedAt: at(seconds), stopBy: at(seconds + 30) });

export const completed = (quantity: number, { attempt = 1, seconds = 60 } = {}): JobCompleted =>
  JobCompleted.of({
    ...ofJob,
    attempt,
    result: blob('e'),
    summary: { length: 3 },
    usage: [rows(quantity)],
    completedAt: at(seconds),
  });

/** The remains of a job that did not complete. */
interface Left {
  readonly checkpoint?: JobBlob | null;
  readonly usage?: JobUsage[];
}

export const failed = (
  code: string,
  { seconds = 20, checkpoint = null, usage = [] }: Left & { readonly seconds?: number } = {},
): JobFailed => {
  const message = 'a thread tore';
  return JobFailed.of({ ...ofJob, code, message, checkpoint, usage, failedAt: at(seconds) });
};

export const cancelled = (seconds: number, { checkpoint = null, usage = [] }: Left = {}) =>
  JobCancelled.of({ ...ofJob, checkpoint, usage, cancelledAt: at(seconds) });

export const timedOut = (
  limit: JobTimedOut['data']['limit'],
  seconds: number,
  { checkpoint = null, usage = [] }: Left = {},
): JobTimedOut => JobTimedOut.of({ ...ofJob, limit, checkpoint, usage, timedOutAt: at(seconds) });

export const settled = (amount = 500): JobSettled =>
  JobSettled.of({
    ...ofJob,
    outcome: 'charged',
    amountMicroUsd: String(amount),
    settledAt: at(61),
  });

export const forgotten = JobForgotten.of({ ...ofJob, forgottenAt: at(3_000_000) });

type Command<Type> = Extract<JobCommand, { readonly type: Type }>;

/** Commands. */
export const submit = (changes: Partial<JobSubmitted['data']> = {}): Command<'SubmitJob'> => ({
  type: 'SubmitJob',
  data: { ...order, ...changes },
});

export const dispatch = (attempt = 1, seconds = 1, host = HOST): Command<'DispatchJob'> => ({
  type: 'DispatchJob',
  data: { jobId: JOB, attempt, host, dispatchedAt: at(seconds), startBy: at(seconds + 30) },
});

export const start = (seconds = 2, { attempt = 1, host = HOST }: Reporter = {}) =>
  ({
    type: 'StartAttempt',
    data: { jobId: JOB, attempt, host, startedAt: at(seconds) },
  }) satisfies JobCommand;

export const report = (
  sequence: number,
  quantity: number,
  { attempt = 1, host = HOST }: Reporter = {},
): Command<'ReportProgress'> => ({
  type: 'ReportProgress',
  data: {
    jobId: JOB,
    attempt,
    host,
    sequence,
    done: quantity,
    total: 100,
    progress: { colour: 'red' },
    checkpoint: blob('c'),
    usage: [rows(quantity)],
    progressedAt: at(10),
  },
});

export const endAttempt = (
  reason: Command<'EndAttempt'>['data']['reason'],
  {
    attempt = 1,
    host = HOST,
    isFinal = false,
    seconds = 20,
    retry = 30,
    code = reason,
  }: Ended & { readonly isFinal?: boolean } = {},
): Command<'EndAttempt'> => ({
  type: 'EndAttempt',
  data: {
    jobId: JOB,
    attempt,
    host,
    reason,
    code,
    message: 'a thread tore',
    isFinal,
    endedAt: at(seconds),
    retryAt: at(retry),
  },
});

export const complete = (
  quantity: number,
  { attempt = 1, host = HOST }: Reporter = {},
): Command<'CompleteJob'> => ({
  type: 'CompleteJob',
  data: {
    jobId: JOB,
    attempt,
    host,
    result: blob('e'),
    summary: { length: 3 },
    usage: [rows(quantity)],
    completedAt: at(60),
  },
});

export const cancel = (seconds = 15): Command<'CancelJob'> => ({
  type: 'CancelJob',
  data: { jobId: JOB, requestedAt: at(seconds), stopBy: at(seconds + 30) },
});

export const finishCancellation = (seconds: number): Command<'FinishCancellation'> => ({
  type: 'FinishCancellation',
  data: { jobId: JOB, at: at(seconds) },
});

export const timeOut = (
  limit: 'queue' | 'run' | 'funds',
  seconds: number,
): Command<'TimeOutJob'> => ({ type: 'TimeOutJob', data: { jobId: JOB, limit, at: at(seconds) } });

export const fail = (code: string, seconds = 20): Command<'FailJob'> => ({
  type: 'FailJob',
  data: { jobId: JOB, code, message: 'a thread tore', at: at(seconds) },
});

export const pause = (seconds = 40, until = 640): Command<'PauseJob'> => ({
  type: 'PauseJob',
  data: { jobId: JOB, reason: 'insufficient_funds', pausedAt: at(seconds), until: at(until) },
});

export const resume = (seconds = 100): Command<'ResumeJob'> => ({
  type: 'ResumeJob',
  data: { jobId: JOB, resumedAt: at(seconds) },
});

export const renew = (quantity: number, seconds = 1_200): Command<'RenewJob'> => {
  const { lines, expiresAt, renewedAt } = renewed(quantity, seconds).data;
  return { type: 'RenewJob', data: { jobId: JOB, lines, expiresAt, renewedAt } };
};

export const settle = (amount = 500): Command<'SettleJob'> => {
  const { outcome, amountMicroUsd, settledAt } = settled(amount).data;
  return { type: 'SettleJob', data: { jobId: JOB, outcome, amountMicroUsd, settledAt } };
};

export const forget: Command<'ForgetJob'> = {
  type: 'ForgetJob',
  data: { jobId: JOB, forgottenAt: forgotten.data.forgottenAt },
};
