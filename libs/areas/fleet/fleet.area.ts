import { workerRigEvents } from '#events/fleet/worker-rig.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { workerRigs } from '#projections/fleet/worker-rigs.projection.js';
import { FleetModule } from './fleet.module.js';
import { FleetOperations } from './fleet.operations.js';
import { fleetErrors } from './fleet.errors.js';
import { FleetRegistrar } from './fleet-registrar.js';
import { fleetSettings } from './fleet.settings.js';

export const fleetArea = defineArea({
  name: 'fleet',
  description: 'The rigs that workers register, and the regional entry points.',
  events: workerRigEvents,
  projections: [workerRigs],
  leaderServices: [FleetRegistrar],
  errors: fleetErrors,
  settings: [fleetSettings],
  metrics: [FleetOperations],
  module: FleetModule,
});
