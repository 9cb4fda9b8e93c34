import { type TrainingCaptureEvidence } from '#events/training/training.evidence.js';
import {
  DISTILLATION_JOB,
  FINE_TUNING_JOB,
  TrainingProgress,
  TrainingSummary,
} from '#events/training/training.job.js';
import { defineJob, type EndedJob } from '#platform/jobs/job-type.js';
import { type AnyProduct } from '#platform/ledger/product.js';
import { TrainingRunner } from './training-runner.js';
import { TRAININGS_PER_HOST_MAX } from './training.engine.js';
import { distillationProduct, fineTuningProduct, TRAINING_METER } from './training.product.js';
import { TrainingCheckpoint, TrainingInput, TrainingResult } from './training.task.js';

const HOUR_MS = 3_600_000;
/** A renewal, every five minutes, keeps so much held above the used part. */
const AHEAD_MS = 600_000;

const trainingJobOf = (name: string, title: string, product: AnyProduct) =>
  defineJob({
    name,
    title,
    input: TrainingInput,
    progress: TrainingProgress,
    checkpoint: TrainingCheckpoint,
    result: TrainingResult,
    place: { on: 'areas', runner: TrainingRunner },
    limits: {
      openPerAccountMax: 10,
      runningPerAccountMax: 1,
      runningPerHostMax: TRAININGS_PER_HOST_MAX,
      queueMsMax: 24 * HOUR_MS,
      runMsMax: 12 * HOUR_MS,
    },
    retry: {
      attemptsMax: 5,
      backOff: { firstMs: 1_000, maxMs: 30_000 },
      failures: {
        model_rejected: 'final',
        model_changed: 'final',
        model_unsupported: 'final',
        model_too_large: 'final',
        vocabulary_mismatch: 'final',
        text_unusable: 'final',
        loss_not_finite: 'final',
        checkpoint_unusable: 'final',
        crashed: 'retry',
      },
    },
    price: {
      product,
      whenUnfinished: 'what_was_used',
      ahead: [{ meter: TRAINING_METER, quantity: AHEAD_MS }],
      evidence: (ended) => evidenceOf(ended),
      model: ({ summary }) => TrainingSummary.parse(summary).student.name,
    },
    // The name of the job is used, and the model is registered once.
    repeats: 'never',
  });

/** A student learns from a teacher. A job that ends early pays for the time it was trained. */
export const distillationJob = trainingJobOf(
  DISTILLATION_JOB,
  'Distillation of a model',
  distillationProduct,
);

export const fineTuningJob = trainingJobOf(
  FINE_TUNING_JOB,
  'Fine-tuning of a model',
  fineTuningProduct,
);

const evidenceOf = ({ outcome, summary, result }: EndedJob): TrainingCaptureEvidence => ({
  ...TrainingSummary.parse(summary),
  outcome,
  result: result === null ? null : TrainingProgress.parse(result),
});
