import { taxEvents } from '#events/tax/tax-status.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { taxStatuses } from '#projections/tax/tax-status.projection.js';
import { taxErrors } from './tax.errors.js';
import { TaxModule } from './tax.module.js';
import { taxTool } from './tax.tool.js';
import { taxSettings } from './tax.settings.js';

export const taxArea = defineArea({
  name: 'tax',
  description: 'Tax on payouts and statements, and the tax status of an account.',
  events: taxEvents,
  projections: [taxStatuses],
  errors: taxErrors,
  settings: [taxSettings],
  tools: [taxTool],
  module: TaxModule,
});
