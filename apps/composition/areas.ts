import { billingArea } from '#areas/billing/billing.area.js';
import { catalogArea } from '#areas/catalog/catalog.area.js';
import { identityArea } from '#areas/identity/identity.area.js';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { type AnyEventDefinition } from '#events/definition.js';
import { platformEvents } from '#events/platform/lease.events.js';
import { type Area } from '#platform/runtime/area.js';

/** Everything Quipu does: one line per area. */
export const areas: readonly Area[] = [identityArea, billingArea, catalogArea, inferenceArea];

/** Who writes events: the platform and each area. */
export const publishers: readonly {
  readonly name: string;
  readonly events: readonly AnyEventDefinition[];
}[] = [{ name: 'platform', events: platformEvents }, ...areas];
