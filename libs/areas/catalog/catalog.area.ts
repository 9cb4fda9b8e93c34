import { catalogEvents } from '#events/catalog/rate-card.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { CatalogModule } from './catalog.module.js';
import { CatalogOperations } from './catalog.operations.js';
import { catalogErrors } from './catalog.errors.js';
import { catalogSettings } from './catalog.settings.js';

export const catalogArea = defineArea({
  name: 'catalog',
  description: 'The models that are served, and what they and rented rigs cost.',
  events: catalogEvents,
  projections: [rateCards],
  errors: catalogErrors,
  settings: [catalogSettings],
  readiness: [CatalogOperations],
  module: CatalogModule,
});
