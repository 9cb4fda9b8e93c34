import { observationEvents } from '#events/observation/observation.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { observationCollections } from '#projections/observation/collections.projection.js';
import { observations } from '#projections/observation/observations.projection.js';
import { SettleObservationCommand } from './change-observation.handlers.js';
import { ingestProduct } from './ingest.product.js';
import { observationContentSaga } from './observation-content.saga.js';
import { observationErrors } from './observation.errors.js';
import { observationFailures } from './observation.failures.js';
import { ObservationModule } from './observation.module.js';
import { observationSettings } from './observation.settings.js';

export const observationArea = defineArea({
  name: 'observation',
  description: 'Images of the Earth: ingested, verified, stored and searched.',
  module: ObservationModule,
  events: observationEvents,
  projections: [observations, observationCollections],
  sagas: [
    deploySaga(observationContentSaga, {
      SettleObservation: ({ ingestId }) => new SettleObservationCommand(ingestId),
    }),
  ],
  products: [ingestProduct],
  errors: observationErrors,
  failures: observationFailures,
  settings: [observationSettings],
});
