import { catalogEvents } from '#events/catalog/rate-card.events.js';
import { type Area } from '#platform/runtime/area.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { CatalogModule } from './catalog.module.js';
import { catalogErrors } from './catalog.errors.js';

export const catalogArea: Area = {
  name: 'catalog',
  events: catalogEvents,
  projections: [rateCards],
  sagas: [],
  sagaCommands: {},
  relays: [],
  refusals: catalogErrors,
  module: CatalogModule,
};
