import { orbitEvents } from '#events/orbit/orbit.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { satellites } from '#projections/orbit/satellites.projection.js';
import { stations } from '#projections/orbit/stations.projection.js';
import { orbitErrors } from './orbit.errors.js';
import { orbitFailures } from './orbit.failures.js';
import { OrbitModule } from './orbit.module.js';
import { orbitSettings } from './orbit.settings.js';
import { orbitsEngine } from './orbits.engine.js';

export const orbitArea = defineArea({
  name: 'orbit',
  description: 'Ground stations, elements of satellites, and the passes computed from them.',
  module: OrbitModule,
  events: orbitEvents,
  projections: [stations, satellites],
  engines: [orbitsEngine],
  errors: orbitErrors,
  failures: orbitFailures,
  settings: [orbitSettings],
});
