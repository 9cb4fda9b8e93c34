import {
  SpikingBatchCaptureEvidence,
  SpikingBatchHoldEvidence,
  SpikingCaptureEvidence,
  SpikingHoldEvidence,
} from '#events/spiking/spiking.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';
import { MACS_METER, SYNAPTIC_EVENTS_METER } from './operation-lines.js';

const common = {
  group: 'compute',
  meters: {
    [SYNAPTIC_EVENTS_METER]: 'spikes times the targets of each',
    [MACS_METER]: 'multiply-accumulates',
  },
} as const;

/** One run of a spiking network. */
export const spikingProduct = defineProduct({
  ...common,
  purpose: 'spiking_run',
  paced: true,
  title: 'Runs of spiking networks',
  holdEvidence: SpikingHoldEvidence,
  captureEvidence: SpikingCaptureEvidence,
});

/** Many runs of one network, as a job. */
export const spikingBatchProduct = defineProduct({
  ...common,
  purpose: 'spiking_batch',
  title: 'Batches of runs of spiking networks',
  holdEvidence: SpikingBatchHoldEvidence,
  captureEvidence: SpikingBatchCaptureEvidence,
});
