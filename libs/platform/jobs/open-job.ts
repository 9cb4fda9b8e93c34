import { type JobBlob, type JobUsage } from '#events/jobs/job.events.js';

/** A job that has not ended, as its read model shows it to the dispatcher. */
export interface OpenJob {
  readonly jobId: string;
  readonly accountId: string;
  readonly type: string;
  readonly submittedAt: string;
  readonly status: 'queued' | 'dispatched' | 'running' | 'paused' | 'cancelling';
  readonly input: JobBlob;
  /** Jobs that must be completed before. */
  readonly after: readonly string[];
  readonly parent: string | null;
  /** The last attempt that was dispatched, 0 for none. */
  readonly attempt: number;
  /** The host that has the attempt; null when no host has one. */
  readonly host: string | null;
  readonly retryAt: string | null;
  readonly checkpoint: JobBlob | null;
  readonly usage: readonly JobUsage[];
}

/** An open job whose attempt a host has. */
export interface HeldJob extends OpenJob {
  readonly host: string;
}

export const isHeld = (job: OpenJob | undefined): job is HeldJob => (job?.host ?? null) !== null;

/**
 * How a job ended that is not open; `absent` for one that never was. Only a completed job lets the
 * jobs start that wait for it.
 */
export type EndOfJob = 'completed' | 'unfinished' | 'absent';
