import { type QuantizationCaptureEvidence } from '#events/quantization/quantization.evidence.js';
import {
  QUANTIZATION_JOB,
  QuantizationProgress,
  QuantizationSummary,
} from '#events/quantization/quantization.job.js';
import { defineJob, type EndedJob } from '#platform/jobs/job-type.js';
import { FINAL_FAILURES, QUANTIZATIONS_PER_HOST_MAX } from './quantization.engine.js';
import { quantizationProduct } from './quantization.product.js';
import { QuantizationRunner } from './quantization-runner.js';
import {
  QuantizationCheckpoint,
  QuantizationInput,
  QuantizationResult,
} from './quantization.task.js';

const HOUR_MS = 3_600_000;

const final = Object.fromEntries(FINAL_FAILURES.map((code) => [code, 'final' as const]));

/** Measures and writes one model. A job that ends early pays for the products that it counted. */
export const quantizationJob = defineJob({
  name: QUANTIZATION_JOB,
  title: 'Quantization of a model',
  input: QuantizationInput,
  progress: QuantizationProgress,
  checkpoint: QuantizationCheckpoint,
  result: QuantizationResult,
  place: { on: 'areas', runner: QuantizationRunner },
  limits: {
    openPerAccountMax: 10,
    runningPerAccountMax: 1,
    runningPerHostMax: QUANTIZATIONS_PER_HOST_MAX,
    queueMsMax: 24 * HOUR_MS,
    // Shorter than the day for which the blob of a checkpoint is kept.
    runMsMax: 6 * HOUR_MS,
  },
  retry: {
    attemptsMax: 5,
    backOff: { firstMs: 1_000, maxMs: 30_000 },
    failures: { ...final, model_rejected: 'final', model_changed: 'final', crashed: 'retry' },
  },
  price: {
    product: quantizationProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: (ended) => evidenceOf(ended),
    model: ({ summary }) => QuantizationSummary.parse(summary).model,
  },
  // Its name is taken, and the model is registered once.
  repeats: 'never',
});

const evidenceOf = ({ outcome, summary, result }: EndedJob): QuantizationCaptureEvidence => ({
  ...QuantizationSummary.parse(summary),
  outcome,
  measured: result === null ? null : QuantizationProgress.parse(result).measured,
});
