import { type Provider } from '@nestjs/common';
import { Planners } from '#areas/agents/planning/planners.port.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { RoutingModes } from '#areas/inference/routing-modes.js';
import { CatalogPlanners } from './agent-planners.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: Planners,
    inject: [Catalog, RIGS, RoutingModes],
    useFactory: (catalog: Catalog, router: RigRouter, modes: RoutingModes) =>
      new CatalogPlanners(catalog, router, modes),
  },
];
