import { ownModelContentSaga } from '#platform/own-models/own-model-content.saga.js';
import { ownModelErrors } from '#platform/own-models/own-models.errors.js';
import { SettleOwnModelContentCommand } from '#platform/own-models/own-model-content.handler.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { TrainingModule } from './training.module.js';
import { trainingSettings } from './training.settings.js';

export const trainingArea = defineArea({
  name: 'training',
  description: "Distillation and fine-tuning, and the models of an account's own.",
  module: TrainingModule,
  sagas: [
    deploySaga(ownModelContentSaga, {
      SettleOwnModelContent: ({ accountId, modelId }, context) =>
        new SettleOwnModelContentCommand(accountId, modelId, context),
    }),
  ],
  errors: ownModelErrors,
  settings: [trainingSettings],
});
