import { progressIn } from '#areas/training/training-progress.js';
import {
  type HeldOutFigures,
  type TrainingProgress,
  TrainingSummary,
} from '#events/training/training.job.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import { type DistillationEntryDto, type HeldOutDto } from './distillations.dto.js';

export const presentDistillation = (job: JobRecord) => {
  const summary = TrainingSummary.parse(job.summary);
  const progress = progressIn(job);
  const { student, teacher } = summary;
  return {
    job_id: summary.number,
    job_uuid: job.jobId,
    job_name: summary.jobName,
    teacher_model: teacher?.name ?? '',
    student_base_model: student.name,
    status: job.status,
    compression_target: targetOf(teacher?.parameters ?? student.parameters, student.parameters),
    distillation_method: summary.method,
    training_text: summary.text.name,
    training_text_sha256: summary.text.sha256,
    progress: progress && shownOf(progress, summary),
    held_out_before: progress?.heldOut ? figuresOf(progress.heldOut.before) : null,
    held_out_after: progress?.heldOut ? figuresOf(progress.heldOut.after) : null,
    model: progress?.model ?? null,
    estimated_ms: summary.estimatedMs,
    measured_ms: progress?.measuredMs ?? 0,
    estimate_error_pct: progress?.estimateErrorPct ?? null,
    error_code: job.status === 'failed' ? (job.error?.code ?? null) : null,
    submitted_at: job.submittedAt,
    ended_at: job.endedAt,
  } satisfies DistillationEntryDto;
};

const shownOf = (
  { phase, step, loss, tokensPerSecond, etaSeconds }: TrainingProgress,
  { steps }: TrainingSummary,
): DistillationEntryDto['progress'] => ({
  phase,
  step,
  steps,
  loss,
  tokens_per_second: tokensPerSecond,
  eta_seconds: etaSeconds,
});

const figuresOf = ({ perplexity, divergence, tokens }: HeldOutFigures): HeldOutDto => ({
  perplexity,
  kl_divergence: divergence,
  tokens,
});

const counted = (count: number): string => count.toLocaleString('en-US');

const targetOf = (teacher: number, student: number): string =>
  `${(teacher / student).toFixed(2)}x (${counted(teacher)} to ${counted(student)} parameters)`;
