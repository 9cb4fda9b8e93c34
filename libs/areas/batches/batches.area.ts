import { batchEvents } from '#events/batches/batch.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { batchesOfAccount } from '#projections/batches/batches-of-account.projection.js';
import { batches } from '#projections/batches/batches.projection.js';
import {
  CancelBatchJobCommand,
  CloseBatchWindowCommand,
  EndBatchCommand,
  KeepBatchPartsCommand,
} from './batch-life.handlers.js';
import { batchLifeSaga } from './batch-life.saga.js';
import { batchJob } from './batch.job.js';
import { batchProduct } from './batch.product.js';
import { batchesErrors } from './batches.errors.js';
import { BatchesModule } from './batches.module.js';
import { batchSettings } from './batches.settings.js';

export const batchesArea = defineArea({
  name: 'batches',
  description: 'Batches of requests, compatible with the interface of OpenAI.',
  events: batchEvents,
  projections: [batches, batchesOfAccount],
  sagas: [
    deploySaga(batchLifeSaga, {
      CloseBatchWindow: (data, context) => new CloseBatchWindowCommand(data, context),
      CancelBatchJob: (data, context) => new CancelBatchJobCommand(data, context),
      KeepBatchParts: (data) => new KeepBatchPartsCommand(data),
      EndBatch: (data, context) => new EndBatchCommand(data, context),
    }),
  ],
  products: [batchProduct],
  jobs: [batchJob],
  errors: batchesErrors,
  settings: [batchSettings],
  module: BatchesModule,
});
