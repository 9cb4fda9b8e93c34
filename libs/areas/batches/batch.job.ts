import { BATCH_JOB, BatchProgress, BatchSummary } from '#events/batches/batch.job.js';
import { doubtsOf } from '#events/token-usage.vocabulary.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { BatchCheckpoint } from './batch-checkpoint.js';
import { BatchInput, WINDOW_MS } from './batch-input.js';
import { BatchRunner } from './batch-runner.js';
import { batchProduct } from './batch.product.js';

/** A batch is one job, however many lines it has. It ends by its window, not by its run time. */
export const batchJob = defineJob({
  name: BATCH_JOB,
  title: 'Batch of requests',
  input: BatchInput,
  progress: BatchProgress,
  checkpoint: BatchCheckpoint,
  result: BatchCheckpoint,
  place: { on: 'areas', runner: BatchRunner },
  limits: {
    openPerAccountMax: 100,
    runningPerAccountMax: 4,
    runningPerHostMax: 8,
    queueMsMax: 2 * WINDOW_MS,
    runMsMax: 2 * WINDOW_MS,
  },
  retry: {
    attemptsMax: 10,
    backOff: { firstMs: 250, maxMs: 30_000 },
    failures: { input_file_missing: 'final', input_file_changed: 'final' },
  },
  // A second job would belong to no batch.
  repeats: 'never',
  price: {
    product: batchProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: ({ jobId, outcome, attempts, summary, shown }) => {
      const { endpoint, inputFileId, model } = BatchSummary.parse(summary);
      const facts = { batchId: jobId, endpoint, inputFileId, model, outcome, attempts };
      return { ...facts, ...doubtsOf(shown ? [BatchProgress.parse(shown)] : []) };
    },
    model: ({ summary }) => BatchSummary.parse(summary).model,
  },
});
