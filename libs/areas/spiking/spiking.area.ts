import { defineArea } from '#platform/runtime/areas/area.js';
import { spikingBatchEngine } from './batches/spiking-batch.engine.js';
import { spikingBatchJob } from './batches/spiking-batch.job.js';
import { SpikingChatStrategy } from './chats/spiking-chat.strategy.js';
import { spikingEngine } from './spiking.engine.js';
import { spikingErrors, spikingFailures } from './spiking.errors.js';
import { SPIKING_MODES } from './spiking.modes.js';
import { SpikingModels } from './spiking-models.js';
import { SpikingModule } from './spiking.module.js';
import { spikingBatchProduct, spikingProduct } from './spiking.product.js';
import { spikingSettings } from './spiking.settings.js';

/** Writes no events: its evidence is in the ledger's events, its batches are jobs. */
export const spikingArea = defineArea({
  name: 'spiking',
  description: 'Spiking and hybrid networks, whose operations are counted as they run.',
  products: [spikingProduct, spikingBatchProduct],
  engines: [spikingEngine, spikingBatchEngine],
  chatStrategies: [{ modes: SPIKING_MODES, strategy: SpikingChatStrategy }],
  jobs: [spikingBatchJob],
  modelSources: [SpikingModels],
  errors: spikingErrors,
  failures: spikingFailures,
  settings: [spikingSettings],
  module: SpikingModule,
});
