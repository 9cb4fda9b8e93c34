import { placementEvents } from '#events/placement/placement.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { placements } from '#projections/placement/placements.projection.js';
import { expirePlacement } from './end-placement.handlers.js';
import { placementExpirySaga } from './placement-expiry.saga.js';
import { placementErrors } from './placement.errors.js';
import { placementFailures } from './placement.failures.js';
import { PlacementModule } from './placement.module.js';

export const placementArea = defineArea({
  name: 'placement',
  description: 'Stages of pipelines, placed on registered rigs by memory and bandwidth.',
  module: PlacementModule,
  events: placementEvents,
  projections: [placements],
  sagas: [deploySaga(placementExpirySaga, { ExpirePlacement: expirePlacement })],
  errors: placementErrors,
  failures: placementFailures,
});
