/**
 * The messages between the dispatcher, the hosts that run attempts, and the processes that record
 * reports. A host asks for work, the dispatcher assigns it, the host reports. Headers name the job
 * and the attempt; bodies hold inputs, checkpoints and results, and are sealed.
 */
import { z } from 'zod';
import {
  Attempt,
  JobBlob,
  JobHostName,
  JobId,
  JobTypeName,
  JobUsage,
} from '#events/jobs/job.events.js';
import { AccountId, Instant } from '#events/vocabulary.js';

/** Asks of hosts, keyed by host. Also the heartbeats of their attempts. */
export const ASKS_TOPIC = 'quipu.jobs.asks';

/** Reports of hosts that cannot write to the log themselves; keyed by job. */
export const REPORTS_TOPIC = 'quipu.jobs.reports';

/** The group in which processes share the reports. */
export const REPORTS_GROUP = 'quipu.jobs.reports';

/** Assignments to one host, and its orders to stop; keyed by job. */
export const workTopicOf = (host: string): string => `quipu.jobs.work.${host}`;

/**
 * The JSON of an input, a checkpoint or a result that travels in messages. Base64 adds a third, and
 * the bus accepts 1,000,000 bytes of key, headers and data.
 */
export const CARRIED_JSON_BYTES_MAX = 700_000;

/** Names an attempt; the number is its fencing token. */
export interface JobAttemptRef {
  readonly jobId: string;
  readonly attempt: number;
}

/** The free slots and the running attempts of a host at one moment. Never an event. */
export const JobAsk = z.strictObject({
  host: JobHostName,
  /** Drawn when the host starts: an attempt of an earlier session has ended. */
  session: z.uuid(),
  /** Counted in the session from 1; a lower number than the last one is late, and ignored. */
  number: z.int().positive(),
  /** Attempts that could start now, by type. */
  free: z.record(JobTypeName, z.int().nonnegative()),
  running: z.array(z.strictObject({ jobId: JobId, attempt: Attempt })),
  /** The host takes no more work and finishes what it runs. */
  draining: z.boolean(),
});
export type JobAsk = z.infer<typeof JobAsk>;

const Whole = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
  .pipe(z.int().positive());

/** Of a message on the work topic. The body of an assignment may need several messages. */
export const WorkHeaders = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('assignment'),
    job: JobId,
    attempt: Whole,
    /** From 1 to `parts`, in this order. */
    part: Whole,
    parts: Whole,
  }),
  z.object({ kind: z.literal('stop'), job: JobId, attempt: Whole }),
]);

/** JSON in the message, or the address of a blob for a host that can read it. */
export const Carried = z.union([
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ blob: JobBlob }),
]);
export type Carried = z.infer<typeof Carried>;

/** The body of an assignment. */
export const Assignment = z.strictObject({
  jobId: JobId,
  attempt: Attempt,
  type: JobTypeName,
  accountId: AccountId,
  submittedAt: Instant,
  input: Carried,
  checkpoint: Carried.nullable(),
  usage: z.array(JobUsage),
});
export type Assignment = z.infer<typeof Assignment>;

const PublicJson = z.record(z.string(), z.unknown());

const ofAttempt = {
  jobId: JobId,
  accountId: AccountId,
  type: JobTypeName,
  attempt: Attempt,
  host: JobHostName,
};

/** A report of a host on an attempt. The process that takes it adds the instant. */
export const JobReport = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('started'), ...ofAttempt }),
  z.strictObject({
    kind: z.literal('progressed'),
    ...ofAttempt,
    sequence: z.int().positive(),
    done: z.int().nonnegative(),
    total: z.int().nonnegative().nullable(),
    shown: PublicJson,
    checkpoint: Carried.nullable(),
    usage: z.array(JobUsage),
  }),
  z.strictObject({
    kind: z.literal('completed'),
    ...ofAttempt,
    result: Carried,
    shown: PublicJson,
    usage: z.array(JobUsage),
  }),
  z.strictObject({
    kind: z.literal('ended'),
    ...ofAttempt,
    /** `drained`: the host hands the attempt back, which does not count as a failure. */
    reason: z.enum(['failed', 'drained']),
    code: z.string(),
    message: z.string(),
  }),
]);
export type JobReport = z.infer<typeof JobReport>;

/** The text with which a body is sealed: the body opens in its own place only. */
export const assignmentPlace = (
  host: string,
  { jobId, attempt }: JobAttemptRef,
  part: number,
  parts: number,
): string => `assignment/${host}/${jobId}/${attempt}/${part}/${parts}`;
export const reportPlace = (jobId: string): string => `report/${jobId}`;

export const attemptKey = ({ jobId, attempt }: JobAttemptRef): string => `${jobId}.${attempt}`;
