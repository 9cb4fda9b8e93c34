import { adapterEvents } from '#events/adapters/adapter.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { adaptersOfAccount } from '#projections/adapters/adapters-of-account.projection.js';
import { SettleAdapterContentCommand } from './adapter-content.handler.js';
import { adapterContentSaga } from './adapter-content.saga.js';
import { adapterErrors } from './adapters.errors.js';
import { AdaptersModule } from './adapters.module.js';
import { adapterSettings } from './adapters.settings.js';

export const adaptersArea = defineArea({
  name: 'adapters',
  description: 'Low-rank adapters (LoRA) of the models that the embedded engine runs.',
  module: AdaptersModule,
  events: adapterEvents,
  projections: [adaptersOfAccount],
  sagas: [
    deploySaga(adapterContentSaga, {
      SettleContent: ({ accountId, adapterId }, context) =>
        new SettleAdapterContentCommand(accountId, adapterId, context),
    }),
  ],
  errors: adapterErrors,
  settings: [adapterSettings],
});
