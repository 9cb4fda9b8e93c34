import { type JobUsage } from '#events/jobs/job.events.js';
import { type SpikingBatchProgress } from '#events/spiking/spiking-batch.job.js';
import { defineEngine, type EngineDefinition } from '#platform/tasks/engine.js';
import { chargedOf, MACS_METER, SYNAPTIC_EVENTS_METER } from '../operation-lines.js';
import { addCounts, countsOf, NO_COUNTS } from '../run-counts.js';
import {
  type OpenNetworks,
  openNetworks,
  type OpenNetworksOf,
  SPIKING_FAILURES,
  type SpikingEnd,
  type SpikingOutcome,
  statusOf,
} from '../spiking.engine.js';
import {
  SpikingBatchAttempt,
  SpikingBatchEnd,
  type SpikingBatchInput,
  type SpikingBatchItem,
  SpikingBatchPiece,
} from './spiking-batch.task.js';

/** Attempts of one process at once: each keeps a processor busy. */
export const BATCHES_PER_HOST_MAX = 2;

/** Inputs of one call, after which a piece carries every item so far. */
const INPUTS_PER_CALL = 20;

const NOTHING: SpikingBatchProgress = {
  runs: 0,
  rejected: 0,
  counts: NO_COUNTS,
  weightsSha256: null,
  meterVersion: null,
};

/** Runs the inputs of a batch in calls of several; what has run is the checkpoint. */
export const spikingBatchEngineWith = (
  open: OpenNetworksOf,
): EngineDefinition<SpikingBatchAttempt, SpikingBatchPiece, SpikingBatchEnd> =>
  defineEngine({
    name: 'spiking-batch',
    input: SpikingBatchAttempt,
    piece: SpikingBatchPiece,
    end: SpikingBatchEnd,
    tasksMax: { worker: BATCHES_PER_HOST_MAX, inProcess: BATCHES_PER_HOST_MAX },
    failures: SPIKING_FAILURES,
    canRunHere: () => Promise.resolve(null),
    open: async (host) => {
      const networks = await open(host);
      return {
        run: (attempt, signal) => runBatch(networks, attempt, signal),
        status: () => statusOf(networks),
        close: () => networks.close(),
      };
    },
  });

export const spikingBatchEngine = spikingBatchEngineWith(openNetworks);

async function* runBatch(
  networks: OpenNetworks,
  { input, checkpoint, usage: used }: SpikingBatchAttempt,
  signal: AbortSignal,
): AsyncGenerator<SpikingBatchPiece, SpikingBatchEnd, void> {
  const items = [...(checkpoint?.items ?? [])];
  let shown = checkpoint?.shown ?? NOTHING;
  let usage = [...used];
  const total = input.inputs.length;
  while (items.length < total) {
    if (signal.aborted) {
      yield pieceOf(items, total, shown, usage);
      signal.throwIfAborted();
    }
    for (const outcome of await outcomesOf(networks, input, items.length, signal)) {
      const index = items.length;
      if ('end' in outcome) {
        shown = withRun(shown, outcome.end);
        usage = withUsage(usage, outcome.end, input);
        items.push(itemOf(index, outcome.end));
      } else {
        shown = { ...shown, rejected: shown.rejected + 1 };
        items.push({ index, rejection: outcome.rejection });
      }
    }
    if (items.length % INPUTS_PER_CALL === 0) yield pieceOf(items, total, shown, usage);
  }
  return { result: { items }, shown, usage };
}

const pieceOf = (
  items: readonly SpikingBatchItem[],
  total: number,
  shown: SpikingBatchProgress,
  usage: JobUsage[],
): SpikingBatchPiece => {
  const checkpoint = { items: [...items], shown };
  return { done: items.length, total, shown, checkpoint, usage };
};

/** The outcomes of the inputs from `from` on, up to the next piece. */
const outcomesOf = async (
  networks: OpenNetworks,
  { slug, neuron, timesteps, inputs, weightsSha256 }: SpikingBatchInput,
  from: number,
  signal: AbortSignal,
): Promise<readonly SpikingOutcome[]> => {
  const to = from + INPUTS_PER_CALL - (from % INPUTS_PER_CALL);
  const batch = { slug, neuron, timesteps, inputs: inputs.slice(from, to) };
  const outcomes = await networks.runMany(batch, signal);
  if (outcomes.every((one) => !('end' in one) || one.end.weightsSha256 === weightsSha256)) {
    return outcomes;
  }
  const message = `this worker has other weights of ${slug} than the batch was priced by`;
  throw Object.assign(new Error(message), { code: 'weights_invalid' });
};

const withRun = (shown: SpikingBatchProgress, run: SpikingEnd): SpikingBatchProgress => ({
  runs: shown.runs + 1,
  rejected: shown.rejected,
  counts: addCounts(shown.counts, countsOf(run)),
  weightsSha256: run.weightsSha256,
  meterVersion: run.meterVersion,
});

const withUsage = (
  usage: readonly JobUsage[],
  { counts }: SpikingEnd,
  { bound }: SpikingBatchInput,
): JobUsage[] => {
  const { synapticEvents, macs } = chargedOf(counts, bound);
  const before = (meter: string): number => usage.find((one) => one.meter === meter)?.quantity ?? 0;
  return [
    {
      meter: SYNAPTIC_EVENTS_METER,
      quantity: before(SYNAPTIC_EVENTS_METER) + synapticEvents,
    },
    { meter: MACS_METER, quantity: before(MACS_METER) + macs },
  ];
};

const itemOf = (
  index: number,
  { classification, completion, latencyMs, counts }: SpikingEnd,
): SpikingBatchItem => {
  const { spikes, synapticEvents, macs } = counts;
  return { index, classification, completion, spikes, synapticEvents, macs, latencyMs };
};
