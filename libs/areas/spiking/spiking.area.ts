import { defineArea } from '#platform/runtime/area.js';
import { spikingBatchEngine } from './batches/spiking-batch.engine.js';
import { spikingBatchJob } from './batches/spiking-batch.job.js';
import { spikingEngine } from './spiking.engine.js';
import { spikingErrors, spikingFailures } from './spiking.errors.js';
import { SpikingModule } from './spiking.module.js';
import { spikingBatchProduct, spikingProduct } from './spiking.product.js';
import { spikingSettings } from './spiking.settings.js';

/** Writes no events: its evidence is in the ledger's events, its batches are jobs. */
export const spikingArea = defineArea({
  name: 'spiking',
  description: 'Spiking and hybrid networks, whose operations are counted as they run.',
  products: [spikingProduct, spikingBatchProduct],
  engines: [spikingEngine, spikingBatchEngine],
  jobs: [spikingBatchJob],
  errors: spikingErrors,
  failures: spikingFailures,
  settings: [spikingSettings],
  module: SpikingModule,
});
