import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import {
  HoldEvidence,
  HoldId,
  HoldLabels,
  PriceLine,
  Purpose,
  UsedUnits,
} from '../hold.vocabulary.js';
import { AccountId, Instant, MicroUsdDecimal, Sha256Hex } from '../vocabulary.js';

/** The life of a job: one stream `job-<jobId>`. No prompt, reply or secret: those are in blobs. */

export const JobId = z.uuid().brand<'JobId'>();
export type JobId = z.infer<typeof JobId>;

/** The name of a job type that an area declares, such as `batch`. It never changes. */
export const JobTypeName = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/);

/** The name of a process that runs jobs. */
export const JobHostName = z.string().regex(/^[a-z][a-z0-9.-]{0,100}$/);

/** 1, 2, …: the fencing token. Reports of an older attempt change nothing. */
export const Attempt = z.int().positive();

/** A blob of the job's account. */
export const JobBlob = z.strictObject({ address: Sha256Hex, bytes: z.int().nonnegative() });
export type JobBlob = z.infer<typeof JobBlob>;

/** The usage of a job since its submission, over all attempts; it never falls. */
export const JobUsage = UsedUnits;
export type JobUsage = z.infer<typeof JobUsage>;

const Code = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const Message = z.string().max(1_000);
/** JSON of the job type's own schema that anyone may read who may see the job. */
const PublicJson = z.record(z.string(), z.unknown());

/** Every event names its job and the job's place in the lists of its account. */
const ofJob = {
  jobId: JobId,
  accountId: AccountId,
  type: JobTypeName,
  submittedAt: Instant,
};

/** The amount that an account has set aside for a job, and how the job is charged. */
export const JobHold = z.strictObject({
  holdId: HoldId,
  purpose: Purpose,
  /** The estimate. */
  lines: z.array(PriceLine),
  rateCardVersion: z.int().positive(),
  evidence: HoldEvidence,
  /** The job renews the hold before. */
  expiresAt: Instant,
  /** The charge of a job that failed, timed out or was cancelled. */
  whenUnfinished: z.enum(['what_was_used', 'nothing']),
  /** A renewal keeps so much held above what is used; empty where the estimate is for all. */
  ahead: z.array(JobUsage),
  ...HoldLabels.shape,
});
export type JobHold = z.infer<typeof JobHold>;

export const JobSubmitted = defineEvent('JobSubmitted', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    /** The sealed input. */
    input: JobBlob,
    /** The summary of the input in lists and statements. */
    summary: PublicJson,
    /** Null for a job that costs nothing. */
    hold: JobHold.nullable(),
    /** Jobs that must be completed before this one starts; at most 100. */
    after: z.array(JobId).max(100),
    parent: JobId.nullable(),
    /** The job that this one repeats. */
    retryOf: JobId.nullable(),
    attemptsMax: z.int().positive(),
    /** The job times out when no attempt has started by then. */
    startBefore: Instant,
    /** The time that all attempts may run together. */
    runMsMax: z.int().positive(),
  }),
});
export type JobSubmitted = EventOf<typeof JobSubmitted>;

/** A host asked for work and gets this attempt. */
export const JobDispatched = defineEvent('JobDispatched', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    attempt: Attempt,
    host: JobHostName,
    dispatchedAt: Instant,
    /** An attempt that has not started by then is lost. */
    startBy: Instant,
  }),
});
export type JobDispatched = EventOf<typeof JobDispatched>;

export const JobStarted = defineEvent('JobStarted', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    attempt: Attempt,
    startedAt: Instant,
    /** When the job times out, unless it ends or loses the attempt before. */
    runUntil: Instant,
  }),
});
export type JobStarted = EventOf<typeof JobStarted>;

export const JobProgressed = defineEvent('JobProgressed', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    attempt: Attempt,
    /** Counted in the attempt from 1; gaps are progress that the rate limit merged. */
    sequence: z.int().positive(),
    /** Units of work, as the type counts them. */
    done: z.int().nonnegative(),
    /** Null where the total is not known. */
    total: z.int().nonnegative().nullable(),
    progress: PublicJson,
    /** Where the next attempt continues; null for none. */
    checkpoint: JobBlob.nullable(),
    usage: z.array(JobUsage),
    progressedAt: Instant,
  }),
});
export type JobProgressed = EventOf<typeof JobProgressed>;

/** An attempt ended and the job did not: it waits for the next attempt. */
export const JobAttemptEnded = defineEvent('JobAttemptEnded', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    attempt: Attempt,
    /**
     * `failed`: the host reported an error. `lost`: the host is silent. `not_started`: the
     * assignment had no effect. `drained`: the host is stopping. `paused`: the account cannot pay.
     * The last two do not count as attempts.
     */
    reason: z.enum(['failed', 'lost', 'not_started', 'drained', 'paused']),
    code: Code,
    message: Message,
    endedAt: Instant,
    /** The next attempt is not dispatched before. */
    retryAt: Instant,
    /** The job times out when no attempt has started by then. */
    startBefore: Instant,
  }),
});
export type JobAttemptEnded = EventOf<typeof JobAttemptEnded>;

/** The hold has a later deadline and may hold more. */
export const JobRenewed = defineEvent('JobRenewed', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    /** Everything that is held from now on. */
    lines: z.array(PriceLine),
    expiresAt: Instant,
    renewedAt: Instant,
  }),
});
export type JobRenewed = EventOf<typeof JobRenewed>;

/** The account cannot pay for the next period; the job waits for funds. */
export const JobPaused = defineEvent('JobPaused', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    reason: z.enum(['insufficient_funds']),
    pausedAt: Instant,
    /** The job times out at this instant. */
    until: Instant,
  }),
});
export type JobPaused = EventOf<typeof JobPaused>;

export const JobResumed = defineEvent('JobResumed', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    resumedAt: Instant,
    /** The job times out when no attempt has started by then. */
    startBefore: Instant,
  }),
});
export type JobResumed = EventOf<typeof JobResumed>;

/** The running attempt is asked to stop; it may report what it has finished. */
export const JobCancellationRequested = defineEvent('JobCancellationRequested', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    requestedAt: Instant,
    /** The job is cancelled then, with or without a report. */
    stopBy: Instant,
  }),
});
export type JobCancellationRequested = EventOf<typeof JobCancellationRequested>;

export const JobCompleted = defineEvent('JobCompleted', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    attempt: Attempt,
    /** The sealed result. */
    result: JobBlob,
    /** The summary of the result in lists and statements. */
    summary: PublicJson,
    usage: z.array(JobUsage),
    completedAt: Instant,
  }),
});
export type JobCompleted = EventOf<typeof JobCompleted>;

export const JobFailed = defineEvent('JobFailed', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    code: Code,
    message: Message,
    /** The last one; what was finished until then. */
    checkpoint: JobBlob.nullable(),
    usage: z.array(JobUsage),
    failedAt: Instant,
  }),
});
export type JobFailed = EventOf<typeof JobFailed>;

export const JobCancelled = defineEvent('JobCancelled', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    /** The last one; what was finished until then. */
    checkpoint: JobBlob.nullable(),
    usage: z.array(JobUsage),
    cancelledAt: Instant,
  }),
});
export type JobCancelled = EventOf<typeof JobCancelled>;

export const JobTimedOut = defineEvent('JobTimedOut', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    /** The limit that has run out. */
    limit: z.enum(['queue', 'run', 'funds']),
    /** The last one; what was finished until then. */
    checkpoint: JobBlob.nullable(),
    usage: z.array(JobUsage),
    timedOutAt: Instant,
  }),
});
export type JobTimedOut = EventOf<typeof JobTimedOut>;

/**
 * The hold of an ended job is closed. `uncollected`: the hold had expired before the charge, and
 * the account could not pay.
 */
export const JobSettled = defineEvent('JobSettled', {
  version: 1,
  schema: z.strictObject({
    ...ofJob,
    outcome: z.enum(['charged', 'free', 'uncollected']),
    /** The amount that was charged, or could not be. */
    amountMicroUsd: MicroUsdDecimal,
    settledAt: Instant,
  }),
});
export type JobSettled = EventOf<typeof JobSettled>;

/** The blobs of a job that ended long ago are released: its result can no longer be read. */
export const JobForgotten = defineEvent('JobForgotten', {
  version: 1,
  schema: z.strictObject({ ...ofJob, forgottenAt: Instant }),
});
export type JobForgotten = EventOf<typeof JobForgotten>;

export type JobEvent =
  | JobSubmitted
  | JobDispatched
  | JobStarted
  | JobProgressed
  | JobAttemptEnded
  | JobRenewed
  | JobPaused
  | JobResumed
  | JobCancellationRequested
  | JobCompleted
  | JobFailed
  | JobCancelled
  | JobTimedOut
  | JobSettled
  | JobForgotten;

export const jobEvents = [
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
] as const;
