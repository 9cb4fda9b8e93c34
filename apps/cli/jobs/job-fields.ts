import { snakeCaseKeys } from '#platform/kernel/snake-case-keys.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import { inUsd } from '#platform/kernel/money.js';
import { type CommonOptions } from '../invocation.js';

export interface JobOptions extends CommonOptions {
  readonly id: string;
}

/** The areas on which jobs are read and cancelled. */
export const JOB_AREAS = ['billing', 'jobs'] as const;

export const progressText = (done: number, total: number | null): string =>
  total === null ? String(done) : `${done} of ${total}`;

export const fieldsOf = (job: JobRecord): Readonly<Record<string, unknown>> => ({
  id: job.jobId,
  account_id: job.accountId,
  type: job.type,
  state: job.status,
  summary: snakeCaseKeys(job.summary),
  after: job.after,
  parent_id: job.parent,
  retry_of: job.retryOf,
  attempt: job.attempt,
  attempts_max: job.attemptsMax,
  host: job.host,
  progress: job.progress && {
    done: job.progress.done,
    total: job.progress.total,
    details: snakeCaseKeys(job.progress.shown),
    progressed_at: job.progress.progressedAt,
  },
  usage: job.usage,
  result: job.result && {
    ...job.result.blob,
    summary: snakeCaseKeys(job.result.summary),
    is_kept: job.forgottenAt === null,
  },
  error: job.error,
  limit: job.limit,
  charge: job.charge && { outcome: job.charge.outcome, amount_micro_usd: job.charge.amount },
  submitted_at: job.submittedAt,
  start_before: job.startBefore,
  started_at: job.startedAt,
  run_until: job.runUntil,
  paused_until: job.pausedUntil,
  ended_at: job.endedAt,
});

/** One line for each fact that there is. */
export const textOf = (job: JobRecord): string =>
  [
    `Job ${job.jobId} of account ${job.accountId}: ${job.type}, ${job.status}`,
    `submitted ${job.submittedAt}`,
    job.startedAt && `started ${job.startedAt}, attempt ${job.attempt} of ${job.attemptsMax}`,
    job.progress && `progress ${progressText(job.progress.done, job.progress.total)}`,
    job.pausedUntil && `paused until ${job.pausedUntil}`,
    job.endedAt && `ended ${job.endedAt}`,
    job.limit && `out of time: ${job.limit}`,
    job.error && `error ${job.error.code}: ${job.error.message}`,
    job.result && `result ${job.result.blob.address} (${job.result.blob.bytes} bytes)`,
    job.charge && `${job.charge.outcome}: ${inUsd(BigInt(job.charge.amount))}`,
  ]
    .filter((line) => line !== null)
    .join('\n  ');
