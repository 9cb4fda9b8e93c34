import { type JobPage } from '#areas/jobs/job.queries.js';
import { snakeCaseKeys } from '#platform/kernel/snake-case-keys.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import { type JobAnswerDto, type JobDto, type JobListDto } from './jobs.dto.js';

/** The host of a job is the operator's business. */
export const presentJob = (job: JobRecord): JobDto => ({
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
  progress: progressOf(job),
  usage: job.usage,
  result: resultOf(job),
  error: job.error,
  limit: job.limit,
  charge: job.charge && {
    outcome: job.charge.outcome,
    amount_micro_usd: job.charge.amount,
  },
  submitted_at: job.submittedAt,
  start_before: job.startBefore,
  started_at: job.startedAt,
  run_until: job.runUntil,
  paused_until: job.pausedUntil,
  ended_at: job.endedAt,
});

const progressOf = ({ progress }: JobRecord): JobDto['progress'] => {
  if (!progress) return null;
  const { done, total, shown: details, progressedAt } = progress;
  return { done, total, details: snakeCaseKeys(details), progressed_at: progressedAt };
};

const resultOf = ({ result, forgottenAt }: JobRecord): JobDto['result'] => {
  if (!result) return null;
  const { blob, summary } = result;
  return { ...blob, summary: snakeCaseKeys(summary), is_kept: forgottenAt === null };
};

export const answerOf = (job: JobRecord): JobAnswerDto => ({ success: true, job: presentJob(job) });

export const presentJobs = ({ jobs, nextAfter }: JobPage): JobListDto => ({
  success: true,
  jobs: jobs.map(presentJob),
  next_after: nextAfter,
});
