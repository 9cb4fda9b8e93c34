import { billingArea } from '#areas/billing/billing.area.js';
import { catalogArea } from '#areas/catalog/catalog.area.js';
import { fleetArea } from '#areas/fleet/fleet.area.js';
import { identityArea } from '#areas/identity/identity.area.js';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { type Area } from '#platform/runtime/area.js';

/** Everything Quipu does: one line per area. */
export const areas: readonly Area[] = [
  identityArea,
  billingArea,
  catalogArea,
  inferenceArea,
  fleetArea,
];
