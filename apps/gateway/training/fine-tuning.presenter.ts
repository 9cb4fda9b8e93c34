import { type JobEvent } from '#events/jobs/job.events.js';
import { TrainingProgress, TrainingSummary } from '#events/training/training.job.js';
import { type TrainingEventPage } from '#areas/training/training-events.query.js';
import { progressIn } from '#areas/training/training-progress.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import {
  type FineTuningCheckpointListDto,
  type FineTuningEventDto,
  type FineTuningJobDto,
} from './fine-tuning.dto.js';

const JOB = 'ftjob-';
const ID = /^ftjob-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

const hexOf = (jobId: string): string => jobId.replaceAll('-', '');
export const fineTuningIdOf = (jobId: string): string => `${JOB}${hexOf(jobId)}`;

/** Undefined for an id that no job can have. */
export const jobIdOf = (written: string): string | undefined =>
  ID.exec(written)?.slice(1).join('-');

const secondsOf = (instant: string): number => Math.floor(Date.parse(instant) / 1_000);

const STATUSES: Readonly<Record<JobRecord['status'], FineTuningJobDto['status']>> = {
  waiting: 'queued',
  queued: 'queued',
  dispatched: 'queued',
  running: 'running',
  cancelling: 'running',
  paused: 'paused',
  completed: 'succeeded',
  failed: 'failed',
  timed_out: 'failed',
  cancelled: 'cancelled',
};

export const presentFineTuning = (job: JobRecord): FineTuningJobDto => {
  const summary = TrainingSummary.parse(job.summary);
  const progress = progressIn(job);
  const hyperparameters = {
    n_epochs: summary.epochs ?? 1,
    batch_size: summary.batchSize,
    learning_rate_multiplier: summary.learningRateMultiplier,
    lora_rank: summary.loraRank,
  };
  const isOver = job.endedAt !== null;
  return {
    id: fineTuningIdOf(job.jobId),
    object: 'fine_tuning.job',
    created_at: secondsOf(job.submittedAt),
    finished_at: job.endedAt === null ? null : secondsOf(job.endedAt),
    estimated_finish: isOver ? null : finishOf(job, progress),
    model: summary.student.name,
    fine_tuned_model: progress?.model ?? null,
    organization_id: job.accountId,
    status: STATUSES[job.status],
    training_file: summary.text.name,
    validation_file: null,
    result_files: [],
    trained_tokens: isOver ? (progress?.tokens ?? 0) : null,
    seed: summary.seed,
    hyperparameters,
    method: { type: 'supervised', supervised: { hyperparameters } },
    error: errorOf(job),
  };
};

const finishOf = ({ progress }: JobRecord, shown: TrainingProgress | null): number | null =>
  progress === null || shown?.etaSeconds == null
    ? null
    : secondsOf(progress.progressedAt) + shown.etaSeconds;

const errorOf = ({ status, error, limit }: JobRecord): FineTuningJobDto['error'] => {
  if (status === 'timed_out') {
    return { code: 'timed_out', message: `the limit ${limit} has run out`, param: null };
  }
  return status === 'failed' && error ? { ...error, param: null } : null;
};

const EVENT = /-(\d{1,18})$/;

/** Of the event with this id; null, for the newest events, where there is none. */
export const revisionOf = (eventId: string): bigint | null => {
  const revision = EVENT.exec(eventId)?.[1];
  return revision === undefined ? null : BigInt(revision);
};

export const presentFineTuningEvent = (
  jobId: string,
  { revision, recordedAt, event }: TrainingEventPage['events'][number],
): FineTuningEventDto => ({
  id: `ftevent-${hexOf(jobId)}-${revision}`,
  object: 'fine_tuning.job.event',
  created_at: secondsOf(recordedAt),
  level: event.type === 'JobFailed' ? 'error' : 'info',
  type: 'message',
  data: {},
  ...saidIn(event),
});

const saidIn = (
  event: JobEvent,
): Pick<FineTuningEventDto, 'message'> & Partial<FineTuningEventDto> => {
  if (event.type === 'JobFailed') return { message: event.data.message };
  if (event.type !== 'JobProgressed') return { message: SENTENCES[event.type] };
  const { done, total, progress } = event.data;
  const { loss, tokens } = TrainingProgress.parse(progress);
  const data = { step: done, total_steps: total, train_loss: loss, tokens };
  return { message: `step ${done} of ${total}: loss ${loss}`, type: 'metrics', data };
};

const SENTENCES: Readonly<
  Record<Exclude<JobEvent['type'], 'JobProgressed' | 'JobFailed'>, string>
> = {
  JobSubmitted: 'the job was created',
  JobDispatched: 'a process has the job',
  JobStarted: 'the training has started',
  JobAttemptEnded: 'the attempt has ended; another one continues from the last checkpoint',
  JobRenewed: 'the hold was renewed',
  JobPaused: 'the job waits for funds',
  JobResumed: 'the job continues',
  JobCancellationRequested: 'the job was asked to stop',
  JobCompleted: 'the model was made',
  JobCancelled: 'the job was cancelled',
  JobTimedOut: 'the time of the job has run out',
  JobSettled: 'the job was charged',
  JobForgotten: 'the result is no longer kept',
};

export const presentCheckpoints = (job: JobRecord): FineTuningCheckpointListDto => {
  const progress = progressIn(job);
  const empty = {
    object: 'list',
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  } as const;
  if (!progress?.model || job.endedAt === null) return empty;
  const id = `ftckpt-${hexOf(job.jobId)}-${progress.step}`;
  const valid = progress.heldOut?.after.perplexity;
  const metrics = {
    step: progress.step,
    ...(progress.loss !== null && { train_loss: progress.loss }),
    ...(valid !== undefined && { full_valid_loss: Math.log(valid) }),
  };
  return {
    ...empty,
    first_id: id,
    last_id: id,
    data: [
      {
        id,
        object: 'fine_tuning.job.checkpoint',
        created_at: secondsOf(job.endedAt),
        fine_tuned_model_checkpoint: progress.model,
        step_number: progress.step,
        fine_tuning_job_id: fineTuningIdOf(job.jobId),
        metrics,
      },
    ],
  };
};
