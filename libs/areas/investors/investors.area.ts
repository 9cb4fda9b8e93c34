import { nodeEvents } from '#events/investors/investor.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { rigRevenue } from '#projections/investors/rig-revenue.projection.js';
import { rigShares } from '#projections/investors/rig-shares.projection.js';
import { investorsErrors } from './investors.errors.js';
import { InvestorsModule } from './investors.module.js';

export const investorsArea = defineArea({
  name: 'investors',
  description: 'The shares that investors hold in rigs, and their revenue.',
  events: nodeEvents,
  projections: [rigShares, rigRevenue],
  errors: investorsErrors,
  module: InvestorsModule,
});
