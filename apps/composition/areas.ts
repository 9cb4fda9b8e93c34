import { billingArea } from '#areas/billing/billing.area.js';
import { catalogArea } from '#areas/catalog/catalog.area.js';
import { identityArea } from '#areas/identity/identity.area.js';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { type AnyEventDefinition } from '#events/definition.js';
import { platformEvents } from '#events/platform/lease.events.js';
import { type Area } from '#platform/runtime/area.js';

/** The areas of Quipu, one line each. */
export const areas: readonly Area[] = [identityArea, billingArea, catalogArea, inferenceArea];

/** The sources of events: the platform and each area. */
export const publishers: readonly {
  readonly name: string;
  readonly events: readonly AnyEventDefinition[];
}[] = [{ name: 'platform', events: platformEvents }, ...areas];
