import { catalogEvents } from '#events/catalog/rate-card.events.js';
import { type Area } from '#platform/runtime/area.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { CatalogModule } from './catalog.module.js';
import { catalogRefusals } from './catalog.refusals.js';

export const catalogArea: Area = {
  name: 'catalog',
  events: catalogEvents,
  projections: [rateCards],
  refusals: catalogRefusals,
  module: CatalogModule,
};
