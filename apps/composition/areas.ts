import { type Type } from '@nestjs/common';
import { billingArea } from '#areas/billing/billing.area.js';
import { catalogArea } from '#areas/catalog/catalog.area.js';
import { identityArea } from '#areas/identity/identity.area.js';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { type AnyEventDefinition } from '#events/definition.js';
import { platformEvents } from '#events/platform/lease.events.js';
import { type Area } from '#platform/runtime/area.js';
import { BillingHttpModule } from '../gateway/billing/billing-http.module.js';
import { CatalogHttpModule } from '../gateway/catalog/catalog-http.module.js';
import { IdentityHttpModule } from '../gateway/identity/identity-http.module.js';
import { InferenceHttpModule } from '../gateway/inference/inference-http.module.js';

/** An area and its HTTP edge, if it has one. */
interface Deployment {
  readonly area: Area;
  readonly http?: Type;
}

/** Everything Quipu does, a line for each area. */
const deployments: readonly Deployment[] = [
  { area: identityArea, http: IdentityHttpModule },
  { area: billingArea, http: BillingHttpModule },
  { area: catalogArea, http: CatalogHttpModule },
  { area: inferenceArea, http: InferenceHttpModule },
];

export const areas: readonly Area[] = deployments.map(({ area }) => area);

/** What writes events: the platform and each area. */
export const publishers: readonly {
  readonly name: string;
  readonly events: readonly AnyEventDefinition[];
}[] = [{ name: 'platform', events: platformEvents }, ...areas];

export const edges: readonly Type[] = deployments.flatMap(({ http }) => (http ? [http] : []));
