import {
  SPIKING_BATCH_JOB,
  SpikingBatchProgress,
  SpikingBatchSummary,
} from '#events/spiking/spiking-batch.job.js';
import { type SpikingBatchCaptureEvidence } from '#events/spiking/spiking.evidence.js';
import { defineJob, type EndedJob } from '#platform/jobs/job-type.js';
import { spikingBatchProduct } from '../spiking.product.js';
import { BATCHES_PER_HOST_MAX, spikingBatchEngine } from './spiking-batch.engine.js';
import {
  SpikingBatchCheckpoint,
  SpikingBatchInput,
  SpikingBatchResult,
} from './spiking-batch.task.js';

const HOUR_MS = 3_600_000;

/** Many runs of one network, on a worker. A batch that ends early pays for the runs it has had. */
export const spikingBatchJob = defineJob({
  name: SPIKING_BATCH_JOB,
  title: 'Batch of spiking runs',
  input: SpikingBatchInput,
  progress: SpikingBatchProgress,
  checkpoint: SpikingBatchCheckpoint,
  result: SpikingBatchResult,
  place: { on: 'engine', engine: spikingBatchEngine },
  limits: {
    openPerAccountMax: 100,
    runningPerAccountMax: 2,
    runningPerHostMax: BATCHES_PER_HOST_MAX,
    queueMsMax: 24 * HOUR_MS,
    runMsMax: HOUR_MS,
  },
  retry: {
    attemptsMax: 5,
    backOff: { firstMs: 1_000, maxMs: 30_000 },
    failures: { neuron_unsupported: 'final', crashed: 'retry', weights_invalid: 'retry' },
  },
  price: {
    product: spikingBatchProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: (ended) => evidenceOf(ended),
    model: ({ summary }) => SpikingBatchSummary.parse(summary).slug,
  },
});

const evidenceOf = ({ outcome, summary, result }: EndedJob): SpikingBatchCaptureEvidence => ({
  ...SpikingBatchSummary.parse(summary),
  outcome,
  measured: result === null ? null : measuredOf(SpikingBatchProgress.parse(result)),
});

/** Null where the network rejected every input. */
const measuredOf = ({
  runs,
  counts,
  weightsSha256,
  meterVersion,
}: SpikingBatchProgress): SpikingBatchCaptureEvidence['measured'] =>
  weightsSha256 === null || meterVersion === null
    ? null
    : { runs, counts, weightsSha256, meterVersion };
