import { trainingEvents } from '#events/training/training.events.js';
import { ownModelContentSaga } from '#platform/own-models/own-model-content.saga.js';
import { ownModelErrors } from '#platform/own-models/own-models.errors.js';
import { SettleOwnModelContentCommand } from '#platform/own-models/own-model-content.handler.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { trainingEngine } from './training.engine.js';
import { trainingErrors } from './training.errors.js';
import { distillationJob, fineTuningJob } from './training.job.js';
import { TrainingModule } from './training.module.js';
import { distillationProduct, fineTuningProduct } from './training.product.js';
import { trainingSettings } from './training.settings.js';

export const trainingArea = defineArea({
  name: 'training',
  description: "Distillation and fine-tuning, and the models of an account's own.",
  module: TrainingModule,
  events: trainingEvents,
  products: [distillationProduct, fineTuningProduct],
  engines: [trainingEngine],
  jobs: [distillationJob, fineTuningJob],
  sagas: [
    deploySaga(ownModelContentSaga, {
      SettleOwnModel: ({ accountId, modelId }, context) =>
        new SettleOwnModelContentCommand(accountId, modelId, context),
    }),
  ],
  errors: { ...ownModelErrors, ...trainingErrors },
  settings: [trainingSettings],
});
