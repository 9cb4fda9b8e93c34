import { meshTaskEvents } from '#events/mesh/mesh-task.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { meshTasks } from '#projections/mesh/mesh-tasks.projection.js';
import { expireMeshLease } from './change-task.handler.js';
import { leaseExpirySaga } from './lease-expiry.saga.js';
import { meshErrors } from './mesh.errors.js';
import { MeshModule } from './mesh.module.js';

export const meshArea = defineArea({
  name: 'mesh',
  description: 'Tasks that agents hand to each other under leases with fencing tokens.',
  module: MeshModule,
  events: meshTaskEvents,
  projections: [meshTasks],
  sagas: [deploySaga(leaseExpirySaga, { ExpireMeshLease: expireMeshLease })],
  errors: meshErrors,
});
