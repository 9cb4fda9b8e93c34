import { nodeEvents } from '#events/investors/investor.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { nodeRevenue } from '#projections/investors/node-revenue.projection.js';
import { nodeShares } from '#projections/investors/node-shares.projection.js';
import { investorsErrors } from './investors.errors.js';
import { InvestorsModule } from './investors.module.js';

export const investorsArea = defineArea({
  name: 'investors',
  description: 'The shares that investors hold in rigs, and their revenue.',
  events: nodeEvents,
  projections: [nodeShares, nodeRevenue],
  errors: investorsErrors,
  module: InvestorsModule,
});
