import { costEvents } from '#events/costs/rig-attempt.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { margins } from '#projections/costs/margins.projection.js';
import { costsErrors } from './costs.errors.js';
import { CostsModule } from './costs.module.js';

export const costsArea = defineArea({
  name: 'costs',
  description: 'What the work of rigs costs the operator, and the margin of charges.',
  events: costEvents,
  projections: [margins],
  errors: costsErrors,
  module: CostsModule,
});
