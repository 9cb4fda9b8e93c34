import { partnerEvents } from '#events/partners/partner.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { partnerEarnings } from '#projections/partners/partner-earnings.projection.js';
import { partners } from '#projections/partners/partners.projection.js';
import { subUsers } from '#projections/partners/sub-users.projection.js';
import { partnersErrors } from './partners.errors.js';
import { PartnersModule } from './partners.module.js';

export const partnersArea = defineArea({
  name: 'partners',
  description: 'Partners, their sub-users and rigs, and what they earn.',
  events: partnerEvents,
  projections: [partners, subUsers, partnerEarnings],
  errors: partnersErrors,
  module: PartnersModule,
});
